import type { ToolSections } from '@talaria/environments';
import type { FetchBytes } from '@talaria/tools/models';
import type { Host } from '../host.ts';
import { nameOf } from './find-tools.ts';
import { openImageModel, openToolModel } from './open-tool-model.ts';
import { namingSetting } from './tool-fault.ts';
import type { ToolSource } from './tool-source.ts';

/** Opens the tools that ask other models. @throws ConfigError `config.missing-key` */
export async function openModelTools(
  host: Host,
  { tools }: Pick<ToolSections, 'tools'>,
  fetchBytes: FetchBytes,
): Promise<ToolSource> {
  const { createModelTools } = await import('@talaria/tools/models');
  const { vision_model: vision, image_model: image, mixture_models: proposers } = tools;
  const aggregator = tools.mixture_aggregator ?? proposers[0];
  const created = createModelTools({
    vision: vision === null ? undefined : await openToolModel(host, vision),
    image: image === null ? undefined : await openImageModel(host, image),
    mixture:
      aggregator === undefined || proposers.length === 0
        ? undefined
        : {
            proposers: await Promise.all(proposers.map((name) => openToolModel(host, name))),
            aggregator: await openToolModel(host, aggregator),
          },
    fetchBytes,
  });
  const missing = new Map<string, string>([
    ...(vision === null ? [['vision', 'tools.vision_model'] as const] : []),
    ...(image === null ? [['image_gen', 'tools.image_model'] as const] : []),
    ...(proposers.length === 0 ? [['moa', 'tools.mixture_models'] as const] : []),
  ]);
  return {
    tools: created.map((tool) => {
      const setting = missing.get(tool.toolset);
      return setting === undefined ? tool : namingSetting(tool, setting);
    }),
    configuredTools: created.filter(({ toolset }) => !missing.has(toolset)).map(nameOf),
  };
}
