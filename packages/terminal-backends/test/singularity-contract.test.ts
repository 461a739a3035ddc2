import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeWithService } from '@talaria/testing-services/services/jest';
import { selectContractCases } from '../src/contract/index.ts';
import { createSingularityBackend, type SingularityBackend } from '../src/singularity/index.ts';

await describeWithService('apptainer', process.env, ({ path, image }) => {
  let stateFolder: string;
  let backend: SingularityBackend;

  beforeAll(async () => {
    stateFolder = await mkdtemp(join(tmpdir(), 'talaria-singularity-'));
    backend = createBackend(stateFolder);
  });

  afterAll(async () => {
    expect(await readdir(join(stateFolder, 'sandboxes'))).toEqual([]);
    await rm(stateFolder, { recursive: true });
  });

  function createBackend(folder: string): SingularityBackend {
    return createSingularityBackend({
      stateFolder: folder,
      environment: process.env,
      program: path,
      image,
      killGraceMs: 200,
    });
  }
  const { capabilities } = createBackend('/');
  const cases = selectContractCases({ capabilities });

  describe('the singularity backend', () => {
    test.each(cases.map((entry) => [entry.name, entry] as const))(
      '%s',
      async (_name, entry) => {
        await entry.run((spec) => backend.open({ taskId: 'contract', ...spec }));
      },
      60_000,
    );
  });
});
