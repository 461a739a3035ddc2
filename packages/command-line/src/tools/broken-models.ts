import type { ToolSections } from '@talaria/environments';
import type { Host } from '../host.ts';
import { toolModelSecrets } from './open-tool-model.ts';
import type { AcceptFault } from './tool-fault.ts';

/** A configuration without the models that cannot be asked, and what their tools lack. */
export interface UsableModels {
  readonly config: ToolSections;
  /** Errors by the toolset that needs the model. */
  readonly errors: ReadonlyMap<string, unknown>;
}

/**
 * Takes out the models of tools that cannot be asked, such as those without a key, where that is accepted.
 * @throws ConfigError `config.missing-key` of one that is not accepted
 */
export function leaveBrokenModelsOut(
  host: Host,
  config: ToolSections,
  acceptFault: AcceptFault = () => false,
): UsableModels {
  const { tools, web } = config;
  const errors = new Map<string, unknown>();
  function works(toolset: string, names: readonly (string | null)[]): boolean {
    try {
      toolModelSecrets(
        host,
        names.filter((name) => name !== null),
      );
      return true;
    } catch (error) {
      if (!acceptFault({ kind: 'tools', name: toolset, error })) throw error;
      errors.set(toolset, error);
      return false;
    }
  }
  return {
    config: {
      ...config,
      web: { ...web, summarizer: works('web', [web.summarizer]) ? web.summarizer : null },
      tools: {
        ...tools,
        vision_model: works('vision', [tools.vision_model]) ? tools.vision_model : null,
        image_model: works('image_gen', [tools.image_model]) ? tools.image_model : null,
        mixture_models: works('moa', [...tools.mixture_models, tools.mixture_aggregator]) ? tools.mixture_models : [],
        mixture_aggregator: errors.has('moa') ? null : tools.mixture_aggregator,
      },
    },
    errors,
  };
}
