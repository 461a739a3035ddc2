import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { selectContractCases } from '../src/contract/index.ts';
import type { TerminalBackend } from '../src/index.ts';
import { createLocalBackend } from '../src/local/index.ts';
import { ownUserGaps } from './own-user-gaps.ts';

let stateFolder: string;
let backend: TerminalBackend;

beforeAll(async () => {
  stateFolder = await mkdtemp(join(tmpdir(), 'talaria-local-'));
  backend = createLocalBackend({ stateFolder, environment: process.env, killGraceMs: 200 });
});

afterAll(async () => {
  expect(await readdir(join(stateFolder, 'sandboxes'))).toEqual([]);
  await rm(stateFolder, { recursive: true });
});

const { capabilities } = createLocalBackend({ stateFolder: '/', environment: process.env });
const cases = selectContractCases({ capabilities, knownGaps: ownUserGaps });

describe('the local backend', () => {
  test.each(cases.map((entry) => [entry.name, entry] as const))(
    '%s',
    async (_name, entry) => {
      await entry.run((spec) => backend.open({ taskId: 'contract', ...spec }));
    },
    60_000,
  );
});
