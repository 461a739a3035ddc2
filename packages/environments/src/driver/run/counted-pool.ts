import type { Clock, Logger } from '@talaria/core';
import { createSandboxPool, type SandboxPool, type TerminalBackend } from '@talaria/terminal-backends';
import type { TerminalConfig } from '../../configuration/terminal-config.ts';

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
    sweep: (sweepOptions) => backend.sweep(sweepOptions),
    preflight: (preflightOptions) => backend.preflight(preflightOptions),
  };
  const pool = createSandboxPool({
    backend: counted,
    maxConcurrentSandboxes: config.max_concurrent_sandboxes,
    maxConcurrentCreates: config.max_concurrent_creates,
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
