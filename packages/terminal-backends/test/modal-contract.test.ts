import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createModalDouble, type ModalDouble } from '@talaria/testing-services/modal';
import { selectContractCases } from '../src/contract/index.ts';
import type { TerminalBackend } from '../src/index.ts';
import { createModalBackend } from '../src/modal/index.ts';
import { ownUserGaps } from './own-user-gaps.ts';

const { capabilities } = createModalBackend({ stateFolder: '/', environment: {} });
const cases = selectContractCases({ capabilities, knownGaps: ownUserGaps });

/** With plain folders the sandboxes of the double share `/tmp` and the process table with the host. */
async function describeIsolation(): Promise<string> {
  await using double = await createModalDouble();
  return double.isolation;
}
const isolation = await describeIsolation();
const reason = 'this machine does not let us make namespaces';
if (isolation !== 'namespace' && process.env['TALARIA_REQUIRE_SERVICES'] === '1') throw new Error(reason);
if (isolation !== 'namespace') process.stderr.write(`SKIPPED the contract of the modal backend: ${reason}\n`);

(isolation === 'namespace' ? describe : describe.skip)('the modal backend, on the double of Modal', () => {
  let stateFolder: string;
  let double: ModalDouble;
  let backend: TerminalBackend;

  beforeAll(async () => {
    stateFolder = await mkdtemp(join(tmpdir(), 'talaria-modal-state-'));
    double = await createModalDouble();
    Object.assign(process.env, double.environment);
    backend = createModalBackend({ stateFolder, environment: process.env, image: 'debian:12', killGraceMs: 200 });
  }, 60_000);

  afterAll(async () => {
    expect(await readdir(join(stateFolder, 'sandboxes'))).toEqual([]);
    expect(double.sandboxes.filter((sandbox) => sandbox.isRunning)).toEqual([]);
    await double[Symbol.asyncDispose]();
    await rm(stateFolder, { recursive: true });
  }, 60_000);

  test.each(cases.map((entry) => [entry.name, entry] as const))(
    '%s',
    async (_name, entry) => {
      await entry.run((spec) => backend.open({ taskId: 'contract', ...spec }));
    },
    120_000,
  );
});
