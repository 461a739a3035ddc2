import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, type LogFields, type Logger, silentLogger, systemClock } from '@talaria/core';
import { createDaytonaDouble, type DaytonaDouble, type DaytonaFault } from '@talaria/testing-services/daytona';
import { createDaytonaBackend, type DaytonaBackend, type DaytonaBackendOptions } from '../src/daytona/index.ts';

/** A double of Daytona and a backend that uses it. */
export interface OpenDaytona extends AsyncDisposable {
  readonly double: DaytonaDouble;
  readonly backend: DaytonaBackend;
  readonly stateFolder: string;
  /** Options of a backend that uses the same double and the same ledger. */
  readonly options: DaytonaBackendOptions;
  /** Ids of what is written down. */
  recorded(): Promise<readonly string[]>;
}

/** Starts both. */
export async function openDaytona(
  options: Partial<DaytonaBackendOptions> = {},
  faults: readonly DaytonaFault[] = [],
): Promise<OpenDaytona> {
  const stateFolder = await mkdtemp(join(tmpdir(), 'talaria-daytona-'));
  const double = await createDaytonaDouble({ faults });
  const all: DaytonaBackendOptions = {
    stateFolder,
    environment: { DAYTONA_API_KEY: double.apiKey, DAYTONA_API_URL: double.apiUrl },
    target: 'local',
    image: 'debian:12-slim',
    killGraceMs: 200,
    ...options,
  };
  return {
    double,
    backend: createDaytonaBackend(all),
    stateFolder,
    options: all,
    recorded: () => readdir(join(stateFolder, 'sandboxes')).catch(() => []),
    async [Symbol.asyncDispose]() {
      await double[Symbol.asyncDispose]();
      await rm(stateFolder, { recursive: true, force: true });
    },
  };
}

/** The real clock, but for waits that somebody waits for: they are noted, and short. */
export function createHastyClock(): Clock & { readonly waitsMs: readonly number[] } {
  const waitsMs: number[] = [];
  return {
    ...systemClock,
    waitsMs,
    sleep(durationMs, options = {}) {
      if (options.isBackground) return systemClock.sleep(durationMs, options);
      waitsMs.push(durationMs);
      return systemClock.sleep(Math.min(durationMs, 5), options);
    },
  };
}

/** A logger that keeps its warnings. */
export function createWarningLog(): Logger & {
  readonly warnings: readonly (readonly [string, LogFields | undefined])[];
} {
  const warnings: (readonly [string, LogFields | undefined])[] = [];
  return { ...silentLogger, warnings, warn: (event, fields) => void warnings.push([event, fields]) };
}
