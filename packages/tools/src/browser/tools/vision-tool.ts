import { createHash } from 'node:crypto';
import { explainModelFailure } from '../../models/model-failure.ts';
import type { ToolModel } from '../../models/ports.ts';
import type { Tool, ToolAvailability, ToolCallContext } from '../../tool.ts';
import { type BrowserToolsSetup, browserTool, failedStep } from './browser-tool.ts';

interface VisionArguments {
  readonly question: string;
  readonly annotate?: boolean;
}

/** What {@link createVisionTool} takes. */
export interface VisionToolOptions {
  readonly model: ToolModel | undefined;
  /** Wall clock of the screenshot and the answer, in milliseconds. */
  readonly timeoutMs: number;
  readonly canTakeScreenshots: boolean;
}

/** The tool `browser_vision`: a model that sees answers a question about how the page looks. */
export function createVisionTool(setup: BrowserToolsSetup, options: VisionToolOptions): Tool {
  const { model, timeoutMs, canTakeScreenshots } = options;
  function checkAvailability(): ToolAvailability {
    const availability = setup.checkAvailability();
    if (!availability.isAvailable) return availability;
    if (!canTakeScreenshots) return { isAvailable: false, reason: 'this browser does not show how pages look' };
    if (model === undefined) return { isAvailable: false, reason: 'no model that looks at images is configured' };
    return availability;
  }
  return browserTool<VisionArguments>(setup, {
    name: 'browser_vision',
    description:
      'Take a picture of the visible part of the page, have a question about it answered, and keep it as a file. For what text cannot tell: layout, charts, images.',
    parameters: {
      type: 'object',
      properties: {
        question: { type: 'string', minLength: 1, maxLength: 20_000, description: 'What to find out' },
        annotate: { type: 'boolean', default: false, description: 'Write the refs on the elements in the picture' },
      },
      required: ['question'],
    },
    timeoutMs,
    checkAvailability,
    async execute({ question, annotate: isAnnotated = false }, { session, call, signal }) {
      if (model === undefined) return failedStep('not_available', 'No model that looks at images is configured.');
      const picture = await session.screenshot({ isAnnotated }, { signal });
      const path = await storePicture(picture, call);
      const url = `data:image/png;base64,${Buffer.from(picture).toString('base64')}`;
      try {
        const text = visionPrompt(question, isAnnotated);
        const content = [
          { type: 'text' as const, text },
          { type: 'image_url' as const, image_url: { url } },
        ];
        const answer = await model.ask({ messages: [{ role: 'user', content }] }, { signal });
        if (answer.text.trim() !== '') return { analysis: answer.text, screenshot_path: path };
        const message = `${model.name} answered nothing. Try again, or ask otherwise.`;
        return failedStep('network', message, session.takeNotes(), { screenshot_path: path });
      } catch (error) {
        signal.throwIfAborted();
        const { kind, message } = explainModelFailure(model.name, error);
        return failedStep(kind, message, session.takeNotes(), { screenshot_path: path });
      }
    },
  });
}

async function storePicture(picture: Uint8Array, { sandbox: openSandbox, signal }: ToolCallContext): Promise<string> {
  const sandbox = await openSandbox();
  // Named by its content: the same picture is stored once, and never replaced by another one.
  const hash = createHash('sha256').update(picture).digest('hex').slice(0, 16);
  const path = `${sandbox.temporaryFolder}/talaria-images/screenshot-${hash}.png`;
  await sandbox.writeFile(path, picture, { signal });
  return path;
}

function visionPrompt(question: string, isAnnotated: boolean): string {
  return [
    'The picture shows the visible part of a web page.',
    ...(isAnnotated ? ['Elements carry labels such as @e5; name the elements that matter by them.'] : []),
    'Answer the question from what is to be seen. Say so where the picture does not show the answer.',
    `Question: ${question}`,
  ].join('\n');
}
