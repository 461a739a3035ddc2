import { ConfigError } from '@talaria/core';
import type { Tool } from '../tool.ts';
import type { UrlPolicy } from '../web/url-policy/index.ts';
import { createImageGenerateTool } from './image-generate-tool.ts';
import { createMixtureTool, type MixtureModels } from './mixture-tool.ts';
import { createPolicyFetchBytes } from './policy-fetch-bytes.ts';
import type { FetchBytes, ImageModel, ToolModel } from './ports.ts';
import { createVisionAnalyzeTool } from './vision-analyze-tool.ts';

/** What {@link createModelTools} takes. A tool whose model is missing is hidden, with the reason. */
export interface ModelToolsOptions {
  /** Looks at images for `vision_analyze`. @default none */
  readonly vision?: ToolModel | undefined;
  /** Makes images for `image_generate`. @default none */
  readonly image?: ImageModel | undefined;
  /** Answers for `mixture_of_agents`. @default none */
  readonly mixture?: MixtureModels | undefined;
  /** Which addresses of images may be visited. @default `createUrlPolicy()`: no private ones */
  readonly policy?: UrlPolicy | undefined;
  /** Fetches images that a model names by address. @default under `policy` */
  readonly fetchBytes?: FetchBytes | undefined;
  /** Wall clock of one call of `vision_analyze`, in milliseconds. @default 180_000 */
  readonly visionTimeoutMs?: number | undefined;
  /** Wall clock of one call of `image_generate`, in milliseconds. @default 300_000 */
  readonly imageTimeoutMs?: number | undefined;
}

/**
 * The tools `vision_analyze`, `image_generate` and `mixture_of_agents`. They reach other models, so that a rollout is
 * offered them only where their toolsets (`vision`, `image_gen`, `moa`) are asked for.
 *
 * @throws ConfigError `config.invalid` for a time limit or a number of proposals that is not positive, or more proposals than
 * there are proposers
 */
export function createModelTools(options: ModelToolsOptions = {}): readonly Tool[] {
  const {
    image,
    mixture,
    policy,
    vision,
    fetchBytes = createPolicyFetchBytes(policy),
    imageTimeoutMs = 300_000,
    visionTimeoutMs = 180_000,
  } = options;
  checkPositive('visionTimeoutMs', visionTimeoutMs);
  checkPositive('imageTimeoutMs', imageTimeoutMs);
  checkPositive('mixture.modelTimeoutMs', mixture?.modelTimeoutMs ?? 1);
  checkPositive('mixture.minProposals', mixture?.minProposals ?? 1);
  if (mixture !== undefined && (mixture.minProposals ?? 1) > Math.max(1, mixture.proposers.length)) {
    throw new ConfigError(`mixture.minProposals is ${mixture.minProposals} of ${mixture.proposers.length} proposers`, {
      code: 'config.invalid',
      hint: 'Ask for no more proposals than there are proposers.',
    });
  }
  return [
    createVisionAnalyzeTool({ model: vision, fetchBytes, timeoutMs: visionTimeoutMs }),
    createImageGenerateTool({ model: image, timeoutMs: imageTimeoutMs }),
    createMixtureTool(mixture),
  ];
}

function checkPositive(name: string, value: number): void {
  if (value > 0) return;
  throw new ConfigError(`${name} is ${value}`, { code: 'config.invalid', hint: 'Give a number greater than 0.' });
}
