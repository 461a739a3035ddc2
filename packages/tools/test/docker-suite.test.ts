import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { createDockerBackend } from '@talaria/terminal-backends/docker';
import { describeWithService } from '@talaria/testing-services/services/jest';
import { declareToolSuite } from './suite/declare-tool-suite.ts';

await describeWithService('docker', process.env, ({ socketPath, image }) => {
  let stateFolder: string;
  beforeAll(async () => {
    stateFolder = await mkdtemp(join(tmpdir(), 'talaria-tools-'));
  });
  afterAll(async () => {
    expect(await readdir(join(stateFolder, 'sandboxes'))).toEqual([]);
    await rm(stateFolder, { recursive: true });
  });
  declareToolSuite(() =>
    createDockerBackend({ stateFolder, environment: process.env, host: `unix://${socketPath}`, image }).open({
      taskId: 'suite',
    }),
  );
});
