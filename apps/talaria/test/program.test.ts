import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createScriptedServer } from '@talaria/testing-services';
import { writeStepsEnvironment } from './environments.ts';
import { runShell, startTalaria } from './talaria-process.ts';

let cwd: string;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'talaria-program-'));
});

afterEach(() => rm(cwd, { recursive: true, force: true }));

test('--help and --version answer', async () => {
  const help = await startTalaria(['--help'], { cwd });
  expect([help.exitCode, help.stderr]).toEqual([0, '']);
  expect(help.stdout).toContain('talaria <command>');
  expect((await startTalaria(['--version'], { cwd })).stdout).toMatch(/^\d+\.\d+\.\d+/);
});

test('without a key, run plays the reference solutions, shows a failing row and leaves trajectories', async () => {
  const { exitCode, stdout, stderr } = await startTalaria(['run', 'terminal-test', '--group-size', '2'], { cwd });
  expect(exitCode).toBe(0);
  expect(stderr).toContain('No model is configured');
  expect(stdout).toMatch(/greeting +0 +1\.000 +3 +completed/);
  expect(stdout).toMatch(/answer +0 +1\.000 +3 +completed/);
  expect(stdout).toMatch(/answer +1 +0\.000 +3 +completed/);
  expect(stdout).toContain('terminal-test with scripted: mean reward 0.833 over 6 rollouts');
  const path = /trajectories +(\S+)/.exec(stdout)?.[1] ?? '';
  const lines = (await readFile(join(cwd, path), 'utf8')).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).scores)).toEqual([
    [1, 1],
    [1, 1],
    [1, 0],
  ]);
  const page = /to look at +(\S+)/.exec(stdout)?.[1] ?? '';
  expect((await stat(join(cwd, page))).size).toBeGreaterThan(0);
  expect(await readdir(join(cwd, 'state', 'sandboxes'))).toEqual([]);
});

test('--json is one object on standard output', async () => {
  const { exitCode, stdout } = await startTalaria(['run', 'terminal-test', '--json', '--steps', '1'], { cwd });
  expect(exitCode).toBe(0);
  expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  expect(JSON.parse(stdout)).toMatchObject({ reason: 'done', exit_code: 0, model: 'scripted', groups_accepted: 1 });
});

test('eval reports metrics', async () => {
  const { exitCode, stdout } = await startTalaria(['eval', 'terminal-test', '--json', '--output', 'results'], { cwd });
  const report = JSON.parse(stdout);
  expect([exitCode, report.metrics['eval/accuracy'], report.metrics['eval/num_samples']]).toEqual([0, 1, 1]);
  const metrics = JSON.parse(await readFile(join(cwd, 'results', 'metrics.json'), 'utf8'));
  expect(metrics.results.all['eval/accuracy']).toBe(1);
});

test('a file of the user’s runs where no package is installed', async () => {
  await writeStepsEnvironment(cwd);
  const { exitCode, stdout } = await startTalaria(['run', './steps.ts', '--steps', '2', '--output', 'out'], { cwd });
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('steps with scripted: mean reward 1.000 over 4')]);
  expect((await readdir(join(cwd, 'out'))).sort()).toEqual(
    expect.arrayContaining(['journal', 'manifest.json', 'steps.html', 'steps.jsonl']),
  );
});

test.each([
  ['only-import', { exports: { import: './entry.mjs' } }],
  ['@scope/conditions', { exports: { '.': { types: './entry.d.ts', node: { import: './entry.mjs' } } } }],
  ['plain', { main: './entry.mjs' }],
])('an installed package runs, whatever its entries look like: %s', async (name, manifest) => {
  const folder = join(cwd, 'node_modules', name);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name, ...manifest }));
  await writeFile(
    join(folder, 'entry.mjs'),
    `export const environment = {
  name: 'packed', isLocalSafe: true, configInit: () => ({ env: { group_size: 1, total_steps: 1 } }),
  getNextItem: async () => ({ id: 'one' }), formatPrompt: () => 'Say hello.', computeReward: async () => 1,
  referenceTurns: () => [{ content: 'Hello.' }],
};`,
  );
  const { exitCode, stdout } = await startTalaria(['run', name, '--json'], { cwd });
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ environment: 'packed', mean_reward: 1 });
});

test('a model server is reached as a .env file says', async () => {
  await using server = await createScriptedServer({ apiKey: 'the-right-key' });
  await writeFile(join(cwd, '.env'), `OPENAI_BASE_URL=${server.baseUrl}\nOPENAI_API_KEY=the-right-key\n`);
  const { exitCode, stdout } = await startTalaria(
    ['run', 'terminal-test', '--model', 'some-model', '--steps', '1', '--group-size', '2', '--json'],
    { cwd },
  );
  expect([exitCode, JSON.parse(stdout)]).toEqual([
    0,
    expect.objectContaining({ model: 'some-model', mean_reward: 0, reason: 'done' }),
  ]);
  expect(server.requests).toHaveLength(2);
});

test.each([
  ['an unknown environment', ['run', 'terminal-tset'], 2, /Did you mean terminal-test\?/],
  ['an unknown flag', ['run', 'terminal-test', '--grup-size', '2'], 2, /--group-size/],
  ['an environment file that cannot be loaded', ['run', './broken.mjs'], 2, /broken\.mjs.*no luck/],
])('%s ends with the right code and says what to do', async (_title, args, exitCode, text) => {
  await writeFile(join(cwd, 'broken.mjs'), "throw new Error('no luck');");
  const child = await startTalaria(args, { cwd });
  expect([child.exitCode, child.stdout]).toEqual([exitCode, '']);
  expect(child.stderr).toMatch(text);
  expect(child.stderr).not.toMatch(/\n {4}at /);
  expect((await startTalaria([...args, '--verbose'], { cwd })).stderr).toMatch(/\n {4}at /);
});

test('a reader that goes away ends nothing with noise', async () => {
  for (const line of ['talaria --help | head -1', 'talaria run terminal-test --steps 1 2>&1 | head -1']) {
    const { exitCode, stderr } = await runShell(line, { cwd });
    expect([line, exitCode, stderr]).toEqual([line, 0, '']);
  }
});

test('an output that cannot be written is told of', async () => {
  const { exitCode, stderr } = await runShell('talaria --help > /dev/full', { cwd });
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('ENOSPC')]);
});
