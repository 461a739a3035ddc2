import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Logger } from '@talaria/core';
import { createDaytonaDouble, type DaytonaDouble } from '@talaria/testing-services/daytona';
import { createModalDouble, type ModalDouble } from '@talaria/testing-services/modal';
import { describeWithService } from '@talaria/testing-services/services/jest';
import { createDaytonaBackend } from '../src/daytona/index.ts';
import { createDockerBackend } from '../src/docker/index.ts';
import type { BackendKind, SandboxHandle, TerminalBackend } from '../src/index.ts';
import { createLocalBackend } from '../src/local/index.ts';
import { createModalBackend } from '../src/modal/index.ts';
import { createSingularityBackend } from '../src/singularity/index.ts';
import { createSshBackend } from '../src/ssh/index.ts';

/** What every backend can be told. */
export interface EveryBackendOptions {
  /** Variables of the host, beside those that the backend needs to reach its provider. @default `process.env` */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  readonly logger?: Logger | undefined;
}

/** One of the six backends, to be called inside tests. */
export interface BackendSubject {
  readonly kind: BackendKind;
  /** A backend over the ledger of this group of tests. */
  createBackend(options?: EveryBackendOptions): TerminalBackend;
  /** Folder of the ledger. */
  stateFolder(): string;
}

/** Whether tests that take a minute or more are asked for, with `TALARIA_LONG_RUNS=1`, as CI does once. */
export const isLongRun = process.env['TALARIA_LONG_RUNS'] === '1';

type Create = (stateFolder: string, options: EveryBackendOptions) => TerminalBackend;

const killGraceMs = 200;
const patience = 60_000;

/**
 * Declares a group of tests for each of the six backends: `local`, `docker`, `ssh` and `singularity` for real, `modal` and
 * `daytona` on their doubles. What cannot run here is skipped with its reason, or fails with `TALARIA_REQUIRE_SERVICES=1`.
 * At the end of each group, nothing may stand in its ledger. To be awaited at the top of a test file.
 */
export async function describeEveryBackend(
  declareTests: (subject: BackendSubject) => void,
  kinds: readonly BackendKind[] = ['local', 'docker', 'ssh', 'singularity', 'modal', 'daytona'],
): Promise<void> {
  const declare = (kind: BackendKind, create: Create): void => {
    if (kinds.includes(kind)) describe(`the ${kind} backend`, () => declareGroup(kind, create, declareTests));
  };
  declare('local', (stateFolder, { environment = process.env, logger }) =>
    createLocalBackend({ stateFolder, environment, killGraceMs, logger }),
  );
  await describeWithService('docker', process.env, ({ socketPath, image }) =>
    declare('docker', (stateFolder, { environment = process.env, logger }) =>
      createDockerBackend({ stateFolder, environment, host: `unix://${socketPath}`, image, killGraceMs, logger }),
    ),
  );
  await describeWithService('ssh', process.env, ({ host, port, user, privateKeyPath, knownHostsPath }) =>
    declare('ssh', (stateFolder, { environment = process.env, logger }) => {
      const server = { host, port, user, privateKeyPath, knownHostsPath, agentSocket: null };
      return createSshBackend({ ...server, hostKeyPolicy: 'strict', stateFolder, environment, killGraceMs, logger });
    }),
  );
  await describeWithService('apptainer', process.env, ({ path, image }) =>
    declare('singularity', (stateFolder, { environment = process.env, logger }) =>
      createSingularityBackend({ stateFolder, environment, program: path, image, killGraceMs, logger }),
    ),
  );
  if (kinds.includes('modal')) await declareModal(declare);
  if (kinds.includes('daytona')) await declareDaytona(declare);
}

function declareGroup(kind: BackendKind, create: Create, declareTests: (subject: BackendSubject) => void): void {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), `talaria-${kind}-`));
  });
  declareTests({ kind, createBackend: (options = {}) => create(folder, options), stateFolder: () => folder });
  // After the hooks of the tests, which close what several of them share.
  afterAll(async () => {
    const left = await readdir(join(folder, 'sandboxes')).catch(() => []);
    await rm(folder, { recursive: true });
    expect(left).toEqual([]);
  }, patience);
}

async function declareModal(declare: (kind: BackendKind, create: Create) => void): Promise<void> {
  await using probe = await createModalDouble();
  if (isMissing('modal', probe.isolation)) return;
  let double: ModalDouble;
  beforeAll(async () => {
    double = await createModalDouble();
    Object.assign(process.env, double.environment);
  }, patience);
  afterAll(async () => {
    await double[Symbol.asyncDispose]();
  }, patience);
  declare('modal', (stateFolder, { environment = process.env, logger }) => {
    const all = { ...environment, ...double.environment };
    return createModalBackend({ stateFolder, environment: all, image: 'debian:12', killGraceMs, logger });
  });
}

async function declareDaytona(declare: (kind: BackendKind, create: Create) => void): Promise<void> {
  await using probe = await createDaytonaDouble();
  if (isMissing('daytona', probe.isolation)) return;
  let double: DaytonaDouble;
  beforeAll(async () => {
    double = await createDaytonaDouble();
  }, patience);
  afterAll(async () => {
    await double[Symbol.asyncDispose]();
  }, patience);
  declare('daytona', (stateFolder, { environment = process.env, logger }) => {
    const all = { ...environment, DAYTONA_API_KEY: double.apiKey, DAYTONA_API_URL: double.apiUrl };
    const image = 'debian:12-slim';
    return createDaytonaBackend({ stateFolder, environment: all, target: 'local', image, killGraceMs, logger });
  });
}

/** Without namespaces the sandboxes of a double share processes and folders with the host, which tells nothing. */
function isMissing(kind: BackendKind, isolation: 'namespace' | 'folder'): boolean {
  if (isolation === 'namespace') return false;
  const title = `the ${kind} backend: this machine does not let us make namespaces`;
  if (process.env['TALARIA_REQUIRE_SERVICES'] === '1') {
    test(title, () => {
      throw new Error(title);
    });
  } else {
    process.stderr.write(`SKIPPED ${title}\n`);
    test.skip(title, () => undefined);
  }
  return true;
}

/** The output of a command that has ended by itself, whatever its exit code. */
export async function outputOf(sandbox: SandboxHandle, command: string): Promise<string> {
  const result = await sandbox.run(command);
  expect(result).toMatchObject({ kind: 'exited' });
  return result.output;
}
