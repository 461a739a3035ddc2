import { ConfigError, type Logger } from '@talaria/core';
import {
  getDistribution,
  prepareDistribution,
  seededDraw,
  type ToolRegistry,
  type ToolsetDistribution,
  type ToolView,
} from '@talaria/tools';
import type { EnvironmentConfig } from '../../configuration/environment-config.ts';
import type { ToolsConfig } from '../../configuration/tools-config.ts';

/** What decides which tools are offered. */
export interface ToolChoiceOptions {
  readonly registry: ToolRegistry;
  readonly env: EnvironmentConfig;
  readonly tools: ToolsConfig;
  /** Instead of the built-in one that `env.distribution` names. */
  readonly distribution: ToolsetDistribution | undefined;
  readonly logger: Logger;
}

/** The group that tools are chosen for. */
export interface ToolChoice {
  readonly groupIndex: number;
  /** With the group it decides what is drawn. */
  readonly seed: string;
  /** Where its item may not reach the network, nothing is offered that reaches it for the model. */
  readonly isNetworkAllowed: boolean;
}

/** Chooses the tools of a group, which all its rollouts share. */
export type ToolChooser = (choice: ToolChoice) => ToolView;

/** Toolsets whose tools reach the network from outside the sandbox. */
const networkToolsets = ['web', 'browser'];

/**
 * Creates the chooser of a run; each selection is resolved and logged once.
 * @throws ConfigError for names that nobody knows, sets that cannot be offered, and a distribution of which nothing can
 */
export function createToolChooser(options: ToolChoiceOptions): ToolChooser {
  const { registry, env, tools, logger } = options;
  const chosen = chooseDistribution(options);
  const views = new Map<string, ToolView>();

  const closed = networkToolsets.filter((name) => registry.toolsetNames.includes(name));

  function viewOf(enabled: readonly string[] | null, isNetworkAllowed: boolean): ToolView {
    const key = JSON.stringify([enabled, isNetworkAllowed]);
    const known = views.get(key);
    if (known !== undefined) return known;
    const view = registry.view({
      enabled,
      disabled: [...(env.disabled_toolsets ?? []), ...(isNetworkAllowed ? [] : closed)],
      allowMissingTools: tools.allow_missing || chosen !== null,
    });
    for (const warning of view.warnings) logger.warn('tools.selection', { warning });
    logger.info('tools.resolved', { enabled, tools: [...view.names] });
    views.set(key, view);
    return view;
  }

  if (chosen === null) {
    // Names that nobody knows are told before anything runs.
    viewOf(env.enabled_toolsets, true);
    return ({ isNetworkAllowed }) => viewOf(env.enabled_toolsets, isNetworkAllowed);
  }
  const distribution = prepareDistribution(chosen, registry);
  for (const { toolset, reason } of distribution.removed) logger.warn('tools.toolset-removed', { toolset, reason });
  return ({ groupIndex, seed, isNetworkAllowed }) =>
    viewOf(distribution.sample(seededDraw(seed, `group-${groupIndex}`)), isNetworkAllowed);
}

function chooseDistribution({ env, distribution }: ToolChoiceOptions): ToolsetDistribution | null {
  if (distribution === undefined) return env.distribution === null ? null : getDistribution(env.distribution);
  if (env.enabled_toolsets === null) return distribution;
  throw new ConfigError(`The distribution ${distribution.name} and env.enabled_toolsets are both given`, {
    code: 'config.conflict',
    hint: 'Keep one of them.',
  });
}
