import type { Logger } from '@talaria/core';
import { getDistribution, prepareDistribution, seededDraw, type ToolRegistry, type ToolView } from '@talaria/tools';
import type { EnvironmentConfig } from '../../configuration/environment-config.ts';
import type { ToolsConfig } from '../../configuration/tools-config.ts';

/** What decides which tools are offered. */
export interface ToolChoiceOptions {
  readonly registry: ToolRegistry;
  readonly env: EnvironmentConfig;
  readonly tools: ToolsConfig;
  readonly logger: Logger;
}

/** Chooses the tools of a group, which all its rollouts share; `seed` and the group decide what is drawn. */
export type ToolChooser = (groupIndex: number, seed: string) => ToolView;

/**
 * Creates the chooser of a run; each selection is resolved and logged once.
 * @throws ConfigError for names that nobody knows, sets that cannot be offered, and a distribution of which nothing can
 */
export function createToolChooser(options: ToolChoiceOptions): ToolChooser {
  const { registry, env, tools, logger } = options;
  const views = new Map<string, ToolView>();

  function viewOf(enabled: readonly string[] | null): ToolView {
    const key = JSON.stringify(enabled);
    const known = views.get(key);
    if (known !== undefined) return known;
    const view = registry.view({
      enabled,
      disabled: env.disabled_toolsets ?? [],
      allowMissingTools: tools.allow_missing || env.distribution !== null,
    });
    for (const warning of view.warnings) logger.warn('tools.selection', { warning });
    logger.info('tools.resolved', { enabled, tools: [...view.names] });
    views.set(key, view);
    return view;
  }

  if (env.distribution === null) {
    const view = viewOf(env.enabled_toolsets);
    return () => view;
  }
  const distribution = prepareDistribution(getDistribution(env.distribution), registry);
  for (const { toolset, reason } of distribution.removed) logger.warn('tools.toolset-removed', { toolset, reason });
  return (groupIndex, seed) => viewOf(distribution.sample(seededDraw(seed, `group-${groupIndex}`)));
}
