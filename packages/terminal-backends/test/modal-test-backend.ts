import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { type Clock, systemClock } from '@talaria/core';
import { createMemoryLogger, type MemoryLogger } from '@talaria/core/testing';
import { createModalDouble, type ModalDouble, type ModalDoubleOptions } from '@talaria/testing-services/modal';
import { createModalBackend, type ModalBackend, type ModalBackendOptions } from '../src/modal/index.ts';

/** A double of Modal and backends on it. Disposing asserts that no sandbox and no entry was left, then ends the double. */
export interface ModalTest extends AsyncDisposable {
  readonly double: ModalDouble;
  readonly stateFolder: string;
  readonly logger: MemoryLogger;
  createBackend(options?: Partial<ModalBackendOptions>): ModalBackend;
  /** Names in the ledger. */
  listEntries(): Promise<readonly string[]>;
  /** How often a call was made. */
  count(method: string): number;
  /** Resolves once no sandbox runs and nothing stands in the ledger. */
  whenEmpty(): Promise<void>;
}

const maxWaitMs = 30_000;
const pauseMs = 20;

/** Starts a double and points the SDK at it. */
export async function openModalTest(options: ModalDoubleOptions = {}): Promise<ModalTest> {
  const double = await createModalDouble(options);
  Object.assign(process.env, double.environment);
  const stateFolder = await mkdtemp(join(tmpdir(), 'talaria-modal-state-'));
  const logger = createMemoryLogger();
  const listEntries = async () => {
    const files = await readdir(join(stateFolder, 'sandboxes')).catch(() => []);
    return files.map((name) => name.replace(/\.json$/, ''));
  };
  const left = async () => [...double.sandboxes.filter(({ isRunning }) => isRunning), ...(await listEntries())];
  return {
    double,
    stateFolder,
    logger,
    createBackend: (more = {}) =>
      createModalBackend({
        stateFolder,
        environment: double.environment,
        image: 'debian:12',
        killGraceMs: 200,
        logger,
        ...more,
      }),
    listEntries,
    count: (method) => double.calls.filter((call) => call.method === method).length,
    async whenEmpty() {
      const startedAtMs = Date.now();
      while ((await left()).length > 0 && Date.now() < startedAtMs + maxWaitMs) await systemClock.sleep(pauseMs);
      expect(await left()).toEqual([]);
    },
    async [Symbol.asyncDispose]() {
      try {
        expect(await left()).toEqual([]);
      } finally {
        await double[Symbol.asyncDispose]();
        await rm(stateFolder, { recursive: true });
      }
    },
  };
}

/** The system's clock, but that nobody waits in it for another attempt; tells how long they would have. */
export function createHastyClock(): { readonly clock: Clock; readonly sleeps: readonly number[] } {
  const sleeps: number[] = [];
  const clock: Clock = {
    ...systemClock,
    async sleep(durationMs, options = {}) {
      if (options.isBackground) return await systemClock.sleep(durationMs, options);
      options.signal?.throwIfAborted();
      sleeps.push(durationMs);
    },
  };
  return { clock, sleeps };
}
