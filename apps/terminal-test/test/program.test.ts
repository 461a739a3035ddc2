import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { execa } from 'execa';

const program = fileURLToPath(new URL('../src/main.ts', import.meta.url));

let cwd: string;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'talaria-terminal-test-'));
});

afterEach(() => rm(cwd, { recursive: true, force: true }));

function start(...args: readonly string[]) {
  return execa(process.execPath, ['--conditions=@talaria/source', program, ...args], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: cwd, TERMINAL_SANDBOX_DIR: join(cwd, 'state') },
    extendEnv: false,
    reject: false,
  });
}

test('without a command it runs the training tasks', async () => {
  const { exitCode, stdout } = await start('--group-size', '1');
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('mean reward 1.000 over 3 rollouts')]);
});

test('eval evaluates, and --help knows how the program is called', async () => {
  const { exitCode, stdout } = await start('eval', '--json');
  expect([exitCode, JSON.parse(stdout).metrics['eval/accuracy']]).toEqual([0, 1]);
  expect((await start('eval', '--help')).stdout).toMatch(/^Usage: node \S*main\.ts eval \[flags\]/);
});

test('what it does not know ends with 2', async () => {
  const { exitCode, stderr } = await start('evla');
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/Unknown command "evla"[\s\S]*Did you mean eval\?/)]);
});

test('its manifest names a program that Node can start', async () => {
  const manifest = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  expect(manifest.bin).toEqual({ 'talaria-terminal-test': './dist/main.js' });
  expect(await readFile(program, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
});
