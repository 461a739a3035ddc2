import { type Clock, createSemaphore } from '@talaria/core';
import {
  createSandboxLease,
  type Sandbox,
  type SandboxLease,
  type SandboxSpec,
  type TerminalBackend,
} from '@talaria/terminal-backends';
import type { TerminalConfig } from '../configuration/terminal-config.ts';

/** Sandboxes of a run, counted. */
export interface SandboxCounts {
  readonly active: number;
  readonly created: number;
  /** Milliseconds that the opening of all of them took together. */
  readonly createMs: number;
}

/** Gives every rollout a sandbox of its own, no more at a time than the configuration allows. */
export interface SandboxLeaser {
  /** A lease over a sandbox that is opened on first use. */
  lease(spec: SandboxSpec): SandboxLease;
  readonly counts: SandboxCounts;
}

/** Creates the leaser of a run. */
export function createSandboxLeaser(backend: TerminalBackend, config: TerminalConfig, clock: Clock): SandboxLeaser {
  const places = createSemaphore(config.max_concurrent_sandboxes);
  const creates = createSemaphore(config.max_concurrent_creates);
  let active = 0;
  let created = 0;
  let createMs = 0;

  async function open(spec: SandboxSpec, signal: AbortSignal): Promise<Sandbox> {
    using _create = await creates.acquire(signal);
    const startedAtMs = clock.monotonicMs();
    const sandbox = await backend.open(spec, { signal });
    created += 1;
    createMs += clock.monotonicMs() - startedAtMs;
    return sandbox;
  }

  return {
    lease(spec) {
      let place: Disposable | undefined;
      let isOpen = false;
      const lease = createSandboxLease(async (signal) => {
        place ??= await places.acquire(signal);
        const sandbox = await open(spec, signal);
        isOpen = true;
        active += 1;
        return sandbox;
      });
      let disposal: Promise<void> | undefined;
      async function dispose(): Promise<void> {
        try {
          await lease[Symbol.asyncDispose]();
        } finally {
          if (isOpen) active -= 1;
          place?.[Symbol.dispose]();
        }
      }
      return {
        open: (options) => lease.open(options),
        get opened() {
          return lease.opened;
        },
        killAll: () => lease.killAll(),
        [Symbol.asyncDispose]() {
          disposal ??= dispose();
          return disposal;
        },
      };
    },
    get counts() {
      return { active, created, createMs };
    },
  };
}
