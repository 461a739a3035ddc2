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
export interface CountedPool extends SandboxPool {
  /** Sandboxes that were opened so far. */
  readonly createdCount: number;
  /** Milliseconds that opening one takes on average; 0 before the first. */
  readonly meanCreateMs: number;
}

/** Gives every rollout a sandbox of its own, no more at a time than the configuration allows. */
export function createCountedPool(options: {
  readonly backend: TerminalBackend;
  readonly config: TerminalConfig;
  readonly clock: Clock;
  readonly logger: Logger;
}): CountedPool {
  const { backend, config, clock, logger } = options;
  let createdCount = 0;
  let createMs = 0;
  const counted: TerminalBackend = {
    kind: backend.kind,
    capabilities: backend.capabilities,
    async open(spec, openOptions) {
      const startedAtMs = clock.monotonicMs();
      const sandbox = await backend.open(spec, openOptions);
      createdCount += 1;
      createMs += clock.monotonicMs() - startedAtMs;
      return sandbox;
    },
    maxCreatesPerSecond: backend.maxCreatesPerSecond,
    sweep: (sweepOptions) => backend.sweep(sweepOptions),
    ...(backend.list && { list: backend.list.bind(backend) }),
    ...(backend.remove && { remove: backend.remove.bind(backend) }),
    preflight: (preflightOptions) => backend.preflight(preflightOptions),
  };
  const pool = createSandboxPool({
    backend: counted,
    maxConcurrentSandboxes: config.max_concurrent_sandboxes,
    maxConcurrentCreates: config.max_concurrent_creates,
    maxCreatesPerSecond: config.max_creates_per_sec ?? undefined,
    warm: warmRequests(config, backend.capabilities),
    clock,
    logger,
  });
  return {
    backend,
    lease: (spec) => pool.lease(spec),
    get activeCount() {
      return pool.activeCount;
    },
    get createdCount() {
      return createdCount;
    },
    get meanCreateMs() {
      return createdCount === 0 ? 0 : createMs / createdCount;
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  };
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
