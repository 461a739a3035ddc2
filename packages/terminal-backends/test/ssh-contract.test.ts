import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeWithService } from '@talaria/testing-services/services/jest';
import { selectContractCases } from '../src/contract/index.ts';
import type { TerminalBackend } from '../src/index.ts';
import { createSshBackend } from '../src/ssh/index.ts';
import { ownUserGaps } from './own-user-gaps.ts';

const { capabilities } = createSshBackend({ host: 'any', user: 'any', stateFolder: '/', environment: {} });
const cases = selectContractCases({ capabilities, knownGaps: ownUserGaps });

await describeWithService('ssh', process.env, (ssh) => {
  let stateFolder: string;
  let backend: TerminalBackend;

  beforeAll(async () => {
    stateFolder = await mkdtemp(join(tmpdir(), 'talaria-ssh-'));
    backend = createSshBackend({
      host: ssh.host,
      port: ssh.port,
      user: ssh.user,
      privateKeyPath: ssh.privateKeyPath,
      agentSocket: null,
      knownHostsPath: ssh.knownHostsPath,
      hostKeyPolicy: 'strict',
      stateFolder,
      environment: process.env,
      killGraceMs: 200,
    });
  });

  afterAll(async () => {
    expect(await readdir(join(stateFolder, 'sandboxes'))).toEqual([]);
    await rm(stateFolder, { recursive: true });
  });

  describe('the ssh backend', () => {
    test.each(cases.map((entry) => [entry.name, entry] as const))(
      '%s',
      async (_name, entry) => {
        await entry.run((spec) => backend.open({ taskId: 'contract', ...spec }));
      },
      60_000,
    );
  });
});
