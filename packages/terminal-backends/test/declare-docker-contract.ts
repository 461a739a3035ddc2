import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { DockerService } from '@talaria/testing-services/services';
import { selectContractCases } from '../src/contract/index.ts';
import { createDockerBackend, type DockerBackend } from '../src/docker/index.ts';

/** Declares the contract of sandboxes for the docker backend over one engine, and that it leaves nothing behind. */
export function declareDockerContract(engine: string, { socketPath, image }: DockerService): void {
  let stateFolder: string;
  let backend: DockerBackend;

  beforeAll(async () => {
    stateFolder = await mkdtemp(join(tmpdir(), 'talaria-docker-'));
    backend = createBackend(stateFolder);
  });

  afterAll(async () => {
    expect(await readdir(join(stateFolder, 'sandboxes'))).toEqual([]);
    await rm(stateFolder, { recursive: true });
  });

  function createBackend(folder: string): DockerBackend {
    const host = `unix://${socketPath}`;
    return createDockerBackend({ stateFolder: folder, environment: process.env, host, image, killGraceMs: 200 });
  }
  const { capabilities } = createBackend('/');
  const cases = selectContractCases({ capabilities });

  describe(`the docker backend over ${engine}`, () => {
    test.each(cases.map((entry) => [entry.name, entry] as const))(
      '%s',
      async (_name, entry) => {
        await entry.run((spec) => backend.open({ taskId: 'contract', ...spec }));
      },
      60_000,
    );
  });
}
