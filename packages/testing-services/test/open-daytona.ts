import { Daytona, type DaytonaConfig, type Sandbox } from '@daytona/sdk';
import { describe } from '@jest/globals';
import { createDaytonaDouble, type DaytonaDouble, type DaytonaDoubleOptions } from '@talaria/testing-services/daytona';
import { probeIsolation } from '../src/sandbox-root/open-sandbox-root.ts';

/** `describe` where sandboxes have a file system of their own: elsewhere these tests would write to the host's. */
export const describeIsolated: typeof describe | typeof describe.skip =
  (await probeIsolation()) === 'namespace' ? describe : describe.skip;

/** A double and the real SDK that talks to it. */
export interface OpenDaytona extends AsyncDisposable {
  readonly double: DaytonaDouble;
  readonly daytona: Daytona;
  /** A sandbox that is started. */
  create(name?: string): Promise<Sandbox>;
}

/** Starts both. */
export async function openDaytona(
  options: DaytonaDoubleOptions = {},
  config: Partial<DaytonaConfig> = {},
): Promise<OpenDaytona> {
  const double = await createDaytonaDouble(options);
  const daytona = new Daytona({
    apiKey: double.apiKey,
    apiUrl: double.apiUrl,
    target: 'local',
    requestTimeoutMs: 20_000,
    useDeprecatedPolling: true,
    ...config,
  });
  return {
    double,
    daytona,
    create: (name) => daytona.create({ image: 'debian:12-slim', ...(name === undefined ? {} : { name }) }),
    async [Symbol.asyncDispose]() {
      await daytona[Symbol.asyncDispose]();
      await double[Symbol.asyncDispose]();
    },
  };
}

/** Text of a file in a sandbox. */
export async function readText(sandbox: Sandbox, path: string): Promise<string> {
  return (await sandbox.fs.downloadFile(path)).toString('utf8');
}
