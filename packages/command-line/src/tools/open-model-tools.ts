import type { ToolSections } from '@talaria/environments';
import type { FetchBytes } from '@talaria/tools/models';
import type { Host } from '../host.ts';
import { openImageModel, openToolModel } from './open-tool-model.ts';
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
  const configured = [
    ...(vision === null ? [] : ['vision']),
    ...(image === null ? [] : ['image_gen']),
    ...(proposers.length === 0 ? [] : ['moa']),
  ];
  return { tools: created, configuredToolsets: configured };
}
