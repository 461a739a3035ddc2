import type { Clock, Logger } from '@talaria/core';
import {
  createSandboxPool,
  type SandboxCapabilities,
  type SandboxPool,
  type TerminalBackend,
  type WarmRequest,
} from '@talaria/terminal-backends';
import type { TerminalConfig } from '../../configuration/terminal-config.ts';
import { toSandboxSpec } from '../rollout/sandbox-spec.ts';

/** The sandboxes of a run, counted. Disposing ends those that are still open. */
export type CountedPool = SandboxPool;

/**
 * Gives every rollout a sandbox of its own, no more at a time than the configuration allows. The backend is used as it is:
 * by it, the pools of a process know which rate of creations they share.
 */
export function createCountedPool(options: {
  readonly backend: TerminalBackend;
  readonly config: TerminalConfig;
  readonly clock: Clock;
  readonly logger: Logger;
}): CountedPool {
  const { backend, config, clock, logger } = options;
  return createSandboxPool({
    backend,
    maxConcurrentSandboxes: config.max_concurrent_sandboxes,
    maxConcurrentCreates: config.max_concurrent_creates,
    maxCreatesPerSecond: config.max_creates_per_sec ?? undefined,
    warm: warmRequests(config, backend.capabilities),
    clock,
    logger,
  });
}

/** Sandboxes as rollouts will ask for them whose items name nothing but an image. */
function warmRequests(config: TerminalConfig, capabilities: SandboxCapabilities): readonly WarmRequest[] {
  if (config.warm === 0) return [];
  const items = config.warm_images.length === 0 ? [{}] : config.warm_images.map((image) => ({ image }));
  return items.map((item) => {
    const { taskId: _taskId, ...spec } = toSandboxSpec('warm', item, config, capabilities);
    return { spec, count: config.warm };
  });
}
