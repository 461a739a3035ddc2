import { createHash } from 'node:crypto';
import { toolFromOptions } from '../define-tool.ts';
import type { Tool, ToolCallContext, ToolResult } from '../tool.ts';
import { isToolResult } from '../tool-result.ts';
import { decodeDataUrl } from './data-url.ts';
import { imageExtensionOf, imageTypeOf } from './image-type.ts';
import { explainModelFailure, failedCall } from './model-failure.ts';
import type { GeneratedImage, ImageAspectRatio, ImageModel } from './ports.ts';

/** Largest picture that is stored: 50 MiB. */
const maxStoredBytes = 52_428_800;

interface ImageArguments {
  readonly prompt: string;
  readonly aspect_ratio?: ImageAspectRatio;
}

/** What {@link createImageGenerateTool} takes. */
export interface ImageToolOptions {
  readonly model: ImageModel | undefined;
  readonly timeoutMs: number;
}

/** The tool `image_generate`: a model makes a picture, which is stored in the sandbox or named by its address. */
export function createImageGenerateTool({ model, timeoutMs }: ImageToolOptions): Tool {
  return toolFromOptions<ImageArguments>({
    name: 'image_generate',
    toolset: 'image_gen',
    sideEffect: 'external',
    timeoutMs,
    description:
      'Make an image from a description. The result names it: a path in the sandbox, or an address where it can be fetched.',
    parameters: {
      type: 'object',
      properties: {
        prompt: { type: 'string', minLength: 1, maxLength: 32_000, description: 'What the image shows, and how' },
        aspect_ratio: {
          type: 'string',
          enum: ['landscape', 'square', 'portrait'],
          default: 'landscape',
          description: 'Wide, as wide as high, or high',
        },
      },
      required: ['prompt'],
    },
    checkAvailability: () =>
      model === undefined
        ? { isAvailable: false, reason: 'no model that makes images is configured' }
        : { isAvailable: true },
    async execute({ prompt, aspect_ratio: aspectRatio = 'landscape' }, context) {
      if (model === undefined) {
        return failedCall({ kind: 'not_available', message: 'No model that makes images is configured.' });
      }
      if (prompt.trim() === '') {
        return failedCall({ kind: 'invalid_args', message: 'prompt is empty. Describe the image.' });
      }
      const answer = await askModel(model, { prompt, aspectRatio, count: 1 }, context.signal);
      if (isToolResult(answer)) return answer;
      const [image] = answer.images;
      if (image === undefined) {
        return failedCall({ kind: 'not_available', message: `${model.name} made no image. Describe it otherwise.` });
      }
      const place = await placeOf(image, model.name, context);
      if (isToolResult(place)) return place;
      const { revisedPrompt } = answer;
      return { success: true, image: place, ...(revisedPrompt === null ? {} : { revised_prompt: revisedPrompt }) };
    },
  });
}

async function askModel(
  model: ImageModel,
  request: Parameters<ImageModel['generate']>[0],
  signal: AbortSignal,
): Promise<Awaited<ReturnType<ImageModel['generate']>> | ToolResult> {
  try {
    return await model.generate(request, { signal });
  } catch (error) {
    signal.throwIfAborted();
    return failedCall(explainModelFailure(model.name, error));
  }
}

/** Where the model finds its picture. What the endpoint says it is does not count, only what it is. */
async function placeOf(
  image: GeneratedImage,
  modelName: string,
  context: ToolCallContext,
): Promise<string | ToolResult> {
  if ('bytes' in image) return store(image.bytes, modelName, context);
  if (/^data:/i.test(image.url)) {
    const decoded = decodeDataUrl(image.url, maxStoredBytes);
    if (decoded.kind === 'decoded') return store(decoded.bytes, modelName, context);
    return failedCall({ kind: 'network', message: `${modelName} sent an image that cannot be read.` });
  }
  if (URL.canParse(image.url) && /^https?:$/.test(new URL(image.url).protocol)) return image.url;
  return failedCall({ kind: 'network', message: `${modelName} named an image by something that is no web address.` });
}

async function store(bytes: Uint8Array, modelName: string, context: ToolCallContext): Promise<string | ToolResult> {
  if (bytes.length > maxStoredBytes) {
    const message = `${modelName} made an image of ${bytes.length} bytes; at most ${maxStoredBytes} are stored.`;
    return failedCall({ kind: 'too_large', message });
  }
  const mediaType = imageTypeOf(bytes);
  if (mediaType === undefined) {
    return failedCall({ kind: 'network', message: `${modelName} sent something that is no image. Try again.` });
  }
  const sandbox = await context.sandbox();
  // Named by its content: identifiers of calls come back in later turns, and would then replace another picture.
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  const path = `${sandbox.temporaryFolder}/talaria-images/image-${hash}.${imageExtensionOf(mediaType)}`;
  await sandbox.writeFile(path, bytes, { signal: context.signal });
  return path;
}
