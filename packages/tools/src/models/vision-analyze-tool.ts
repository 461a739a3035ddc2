import { toolFromOptions } from '../define-tool.ts';
import type { Tool } from '../tool.ts';
import { isToolResult } from '../tool-result.ts';
import { loadImage } from './load-image.ts';
import { explainModelFailure, failedCall } from './model-failure.ts';
import type { FetchBytes, ToolModel } from './ports.ts';

interface VisionArguments {
  readonly image_url: string;
  readonly question: string;
}

/** What {@link createVisionAnalyzeTool} takes. */
export interface VisionToolOptions {
  /** Looks at the images. */
  readonly model: ToolModel | undefined;
  /** Fetches images that are named by address. */
  readonly fetchBytes: FetchBytes;
  readonly timeoutMs: number;
}

/** The tool `vision_analyze`: a model that sees answers a question about an image. */
export function createVisionAnalyzeTool({ model, fetchBytes, timeoutMs }: VisionToolOptions): Tool {
  return toolFromOptions<VisionArguments>({
    name: 'vision_analyze',
    toolset: 'vision',
    sideEffect: 'external',
    isParallelSafe: true,
    timeoutMs,
    description:
      'Look at an image (PNG, JPEG, GIF or WebP, at most 20 MB): describe it and answer a question about it.',
    parameters: {
      type: 'object',
      properties: {
        image_url: {
          type: 'string',
          minLength: 1,
          description: 'An http or https address, a data URL, or the path of a file in the sandbox',
        },
        question: { type: 'string', minLength: 1, maxLength: 20_000, description: 'What to find out' },
      },
      required: ['image_url', 'question'],
    },
    checkAvailability: () =>
      model === undefined
        ? { isAvailable: false, reason: 'no model that looks at images is configured' }
        : { isAvailable: true },
    async execute({ image_url, question }, context) {
      if (model === undefined) {
        return failedCall({ kind: 'not_available', message: 'No model that looks at images is configured.' });
      }
      const image = await loadImage(image_url, fetchBytes, context);
      if (isToolResult(image)) return image;
      const { signal, logger } = context;
      const url = `data:${image.mediaType};base64,${Buffer.from(image.bytes).toString('base64')}`;
      try {
        const { text, usage } = await model.ask(
          {
            messages: [
              {
                role: 'user',
                content: [
                  { type: 'text', text: visionPrompt(question) },
                  { type: 'image_url', image_url: { url } },
                ],
              },
            ],
          },
          { signal },
        );
        logger.debug('tool.model-answered', { tool: 'vision_analyze', model: model.name, tokens: usage?.total_tokens });
        if (text.trim() === '') {
          return failedCall({
            kind: 'network',
            message: `${model.name} answered nothing. Try again, or ask otherwise.`,
          });
        }
        return { success: true, analysis: text };
      } catch (error) {
        signal.throwIfAborted();
        return failedCall(explainModelFailure(model.name, error));
      }
    },
  });
}

function visionPrompt(question: string): string {
  return [
    'Look at the image closely. Say first what it shows: what is there, where, in which condition, and any text word for word.',
    'Then answer the question. Say so where the image does not show the answer.',
    `Question: ${question}`,
  ].join('\n');
}
