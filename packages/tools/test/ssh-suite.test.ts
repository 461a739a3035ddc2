import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { createSshBackend } from '@talaria/terminal-backends/ssh';
import { describeWithService } from '@talaria/testing-services/services/jest';
import { declareToolSuite } from './suite/declare-tool-suite.ts';

await describeWithService('ssh', process.env, ({ host, port, user, privateKeyPath, knownHostsPath }) => {
  let stateFolder: string;
  beforeAll(async () => {
    stateFolder = await mkdtemp(join(tmpdir(), 'talaria-tools-'));
  });
  afterAll(async () => {
    expect(await readdir(join(stateFolder, 'sandboxes'))).toEqual([]);
    await rm(stateFolder, { recursive: true });
  });
  declareToolSuite(() =>
    createSshBackend({
      host,
      port,
      user,
      privateKeyPath,
      agentSocket: null,
      knownHostsPath,
      hostKeyPolicy: 'strict',
      stateFolder,
      environment: process.env,
    }).open({ taskId: 'suite' }),
  );
});
