import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createFakeHost } from '../test/fake-host.ts';
import { runProgram } from './run-program.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'talaria-program-'));
  await writeFile(join(folder, 'package.json'), '{"version":"1.2.3"}');
});

afterAll(() => rm(folder, { recursive: true }));

async function run(...argv: readonly string[]) {
  const host = createFakeHost({ argv });
  const builtins = { 'terminal-test': () => Promise.reject(new Error('not asked for')) };
  const exitCode = await runProgram(host, { builtins, manifestUrl: pathToFileURL(join(folder, 'package.json')) });
  return { exitCode, stdout: host.stdout.text, stderr: host.stderr.text };
}

test.each(['--help', '-h', 'help'])('%s tells the commands and the environments', async (word) => {
  const { exitCode, stdout, stderr } = await run(word);
  expect([exitCode, stderr]).toEqual([0, '']);
  for (const text of ['run ENVIRONMENT', 'eval ENVIRONMENT', 'doctor', 'terminal-test', 'Exit codes']) {
    expect(stdout).toContain(text);
  }
});

test('without a command, help goes to standard error and the usage is wrong', async () => {
  const { exitCode, stdout, stderr } = await run();
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toContain('Usage: talaria');
});

test('--version is that of the manifest', async () => {
  expect(await run('--version')).toEqual({ exitCode: 0, stdout: '1.2.3\n', stderr: '' });
});

test.each([
  ['evla', /Did you mean eval\?/],
  ['terminal-test', /talaria run terminal-test/],
  ['./my-env.ts', /talaria run \.\/my-env\.ts/],
  ['constructor', /--help lists what there is/],
])('an unknown command %s says what was meant', async (word, hint) => {
  const { exitCode, stdout, stderr } = await run(word);
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/Unknown command/);
  expect(stderr).toMatch(hint);
});

test('an unknown command with --json is one object', async () => {
  const { stdout } = await run('nothing', '--json');
  expect(JSON.parse(stdout)).toMatchObject({
    reason: 'usage',
    exit_code: 2,
    error: { code: 'config.unknown-command' },
  });
});

test('flags before the command are as good as after it', async () => {
  const { exitCode, stderr } = await run('--json', 'run', 'terminal-test');
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('not asked for')]);
});

test('help of a command is that command’s', async () => {
  const { exitCode, stdout } = await run('help', 'doctor');
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('talaria doctor [--json]')]);
});
