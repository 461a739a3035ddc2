import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { systemClock } from '@talaria/core';
import { defineEnvironment, environmentConfigSchema } from '@talaria/environments';
import { z } from 'zod';
import { runEnvironmentCli } from '../src/index.ts';
import { createFakeHost } from './fake-host.ts';

const environment = defineEnvironment({
  name: 'own',
  description: 'An environment with a field of its own.',
  isLocalSafe: true,
  configSchema: environmentConfigSchema.extend({
    magic_word: z.string().default('please').describe('What the file has to hold.'),
  }),
  configInit: () => ({ env: { enabled_toolsets: ['terminal'], group_size: 1, total_steps: 1, magic_word: 'sesame' } }),
  items: [{ id: 'door' }],
  formatPrompt: (_item, { config }) => `Write ${config.magic_word} to ~/word.txt`,
  computeReward: async (_item, _result, { terminal, config }) =>
    (await terminal('cat ~/word.txt')).output.trim() === config.magic_word ? 1 : 0,
  referenceTurns: () => [
    { toolCalls: [{ name: 'terminal', arguments: { command: 'echo sesame > ~/word.txt' } }] },
    { content: 'Open.' },
  ],
});

let cwd: string;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'talaria-own-'));
});

afterEach(() => rm(cwd, { recursive: true, force: true }));

async function run(argv: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const host = createFakeHost({
    cwd,
    homeFolder: cwd,
    variables: { PATH: process.env['PATH'] ?? '', TERMINAL_SANDBOX_DIR: join(cwd, 'state'), ...variables },
  });
  const exitCode = await runEnvironmentCli(environment, argv, { ...host, clock: systemClock });
  return { exitCode, stdout: host.stdout.text, stderr: host.stderr.text };
}

async function meanReward(argv: readonly string[], variables?: Readonly<Record<string, string>>): Promise<unknown> {
  const { stdout } = await run([...argv, '--json'], variables);
  return JSON.parse(stdout).mean_reward;
}

test('run is what it does without a command', async () => {
  expect([await meanReward([]), await meanReward(['run']), await meanReward(['process'])]).toEqual([1, 1, 1]);
});

test('eval evaluates the items', async () => {
  const { exitCode, stdout } = await run(['eval', '--json']);
  expect([exitCode, JSON.parse(stdout).metrics['eval/mean_reward']]).toEqual([0, 1]);
});

test('a field of its own works as a flag, as a variable and in help', async () => {
  expect(await meanReward(['run', '--env.magic_word', 'abracadabra'])).toBe(0);
  expect(await meanReward(['run'], { TALARIA_ENV_MAGIC_WORD: 'abracadabra' })).toBe(0);
  const { exitCode, stdout } = await run(['--help']);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/--env\.magic_word TEXT\s+What the file has to hold\.\s+\[default: sesame\]/);
});

test('an unknown command says what was meant', async () => {
  const { exitCode, stderr } = await run(['evla']);
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/Unknown command "evla"[\s\S]*Did you mean eval\?/)]);
});

test('toolsets may be drawn from a file of one’s own', async () => {
  const argv = ['run', '--env.enabled_toolsets', 'null', '--env.distribution'];
  const { exitCode, stderr } = await run([...argv, 'missing.yaml']);
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/Cannot read the distribution .*missing\.yaml/)]);
  await writeFile(join(cwd, 'own.yaml'), 'name: own\ntoolsets: { terminal: 100 }\n');
  expect(await meanReward([...argv, 'own.yaml'])).toBe(1);
  await writeFile(join(cwd, 'own.yaml'), 'name: own\ntoolsets: { file: 100 }\n');
  expect(await meanReward([...argv, 'own.yaml'])).toBe(0);
});
