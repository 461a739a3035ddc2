import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createDaytonaDouble, type DaytonaDouble } from '@talaria/testing-services/daytona';
import { selectContractCases } from '../src/contract/index.ts';
import { createDaytonaBackend, type DaytonaBackend } from '../src/daytona/index.ts';
import { ownUserGaps } from './own-user-gaps.ts';

const probe = await createDaytonaDouble();
const { isolation } = probe;
await probe[Symbol.asyncDispose]();
const describeIsolated = isolation === 'namespace' ? describe : describe.skip;
if (isolation !== 'namespace') {
  process.stderr.write('skipped: the daytona backend needs namespaces here, for files of its own in each sandbox\n');
}

let stateFolder: string;
let double: DaytonaDouble;
let backend: DaytonaBackend;

beforeAll(async () => {
  stateFolder = await mkdtemp(join(tmpdir(), 'talaria-daytona-'));
  double = await createDaytonaDouble();
  const environment = { ...process.env, DAYTONA_API_KEY: double.apiKey, DAYTONA_API_URL: double.apiUrl };
  backend = createDaytonaBackend({
    stateFolder,
    environment,
    target: 'local',
    image: 'debian:12-slim',
    killGraceMs: 200,
  });
});

afterAll(async () => {
  const left = double.sandboxes;
  await double[Symbol.asyncDispose]();
  const names = await readdir(join(stateFolder, 'sandboxes')).catch(() => []);
  await rm(stateFolder, { recursive: true });
  expect({ left, names }).toEqual({ left: [], names: [] });
});

const { capabilities } = createDaytonaBackend({ stateFolder: '/', environment: {} });
const cases = selectContractCases({ capabilities, knownGaps: ownUserGaps });

describeIsolated('the daytona backend', () => {
  test.each(cases.map((entry) => [entry.name, entry] as const))(
    '%s',
    async (_name, entry) => {
      await entry.run((spec) => backend.open({ taskId: 'contract', ...spec }));
    },
    120_000,
  );
});
