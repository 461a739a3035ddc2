import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { TerminalBackend } from '@talaria/terminal-backends';
import { createDaytonaBackend } from '@talaria/terminal-backends/daytona';
import { createDockerBackend } from '@talaria/terminal-backends/docker';
import { createModalBackend } from '@talaria/terminal-backends/modal';
import { createSingularityBackend } from '@talaria/terminal-backends/singularity';
import { createSshBackend } from '@talaria/terminal-backends/ssh';
import { createDaytonaDouble } from '@talaria/testing-services/daytona';
import { createModalDouble } from '@talaria/testing-services/modal';
import { describeWithService } from '@talaria/testing-services/services/jest';

/** Opens a backend over a ledger. What has to be closed after it is given to `defer`. */
type OpenBackend = (stateFolder: string, defer: (resource: AsyncDisposable) => void) => Promise<TerminalBackend>;

/** Declares tests of one backend, which is open once they run. */
type DeclareTests = (backend: () => TerminalBackend, kind: string) => void;

const killGraceMs = 200;
const patienceMs = 120_000;

/**
 * Declares a group of tests for each backend but `local`: `docker`, `ssh` and `singularity` for real, `modal` and `daytona` on
 * their doubles. What cannot run here is skipped with its reason, or fails with `TALARIA_REQUIRE_SERVICES=1`.
 */
export async function describeRemoteBackends(declareTests: DeclareTests): Promise<void> {
  const declare = (kind: string, open: OpenBackend) => declareGroup(kind, open, declareTests);
  await describeWithService('docker', process.env, ({ socketPath, image }) =>
    declare('docker', async (stateFolder) =>
      createDockerBackend({ stateFolder, environment: {}, host: `unix://${socketPath}`, image, killGraceMs }),
    ),
  );
  await describeWithService('ssh', process.env, ({ host, port, user, privateKeyPath, knownHostsPath }) =>
    declare('ssh', async (stateFolder) => {
      const server = { host, port, user, privateKeyPath, knownHostsPath, agentSocket: null };
      return createSshBackend({
        ...server,
        hostKeyPolicy: 'strict',
        stateFolder,
        environment: process.env,
        killGraceMs,
      });
    }),
  );
  await describeWithService('apptainer', process.env, ({ path, image }) =>
    declare('singularity', async (stateFolder) =>
      createSingularityBackend({ stateFolder, environment: process.env, program: path, image, killGraceMs }),
    ),
  );
  await using modal = await createModalDouble();
  declareOnDouble('modal', modal.isolation, async (stateFolder, defer) => {
    const double = await createModalDouble();
    defer(double);
    // The SDK looks there.
    Object.assign(process.env, double.environment);
    return createModalBackend({ stateFolder, environment: double.environment, image: 'debian:12', killGraceMs });
  });
  await using daytona = await createDaytonaDouble();
  declareOnDouble('daytona', daytona.isolation, async (stateFolder, defer) => {
    const double = await createDaytonaDouble();
    defer(double);
    const environment = { DAYTONA_API_KEY: double.apiKey, DAYTONA_API_URL: double.apiUrl };
    return createDaytonaBackend({ stateFolder, environment, target: 'local', image: 'debian:12-slim', killGraceMs });
  });

  /** Without namespaces the sandboxes of a double share processes and folders with the host, which tells nothing. */
  function declareOnDouble(kind: string, isolation: 'namespace' | 'folder', open: OpenBackend): void {
    if (isolation === 'namespace') {
      declare(kind, open);
      return;
    }
    const title = `the ${kind} backend: this machine does not let us make namespaces`;
    if (process.env['TALARIA_REQUIRE_SERVICES'] === '1') test(title, () => expect(isolation).toBe('namespace'));
    else test.skip(title, () => undefined);
  }
}

function declareGroup(kind: string, open: OpenBackend, declareTests: DeclareTests): void {
  describe(`the ${kind} backend`, () => {
    let folder = '';
    let backend: TerminalBackend | undefined;
    const deferred: AsyncDisposable[] = [];
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), `talaria-code-${kind}-`));
      backend = await open(folder, (resource) => deferred.push(resource));
    }, patienceMs);
    declareTests(() => {
      if (backend === undefined) throw new TypeError('The backend is not open yet');
      return backend;
    }, kind);
    afterAll(async () => {
      const left = await readdir(join(folder, 'sandboxes')).catch(() => []);
      for (const resource of deferred) await resource[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
      expect(left).toEqual([]);
    }, patienceMs);
  });
}
