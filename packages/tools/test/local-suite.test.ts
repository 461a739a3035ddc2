import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { createLocalBackend } from '@talaria/terminal-backends/local';
import { declareToolSuite } from './suite/declare-tool-suite.ts';

describe('on this machine', () => {
  let stateFolder: string;
  beforeAll(async () => {
    stateFolder = await mkdtemp(join(tmpdir(), 'talaria-tools-'));
  });
  afterAll(async () => {
    expect(await readdir(join(stateFolder, 'sandboxes'))).toEqual([]);
    await rm(stateFolder, { recursive: true });
  });
  declareToolSuite(() => createLocalBackend({ stateFolder, environment: process.env }).open({ taskId: 'suite' }));
});
