import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { runShell, startTalaria } from './talaria-process.ts';

let cwd: string;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'talaria-parse-'));
});

afterEach(() => rm(cwd, { recursive: true, force: true }));

const call = '<tool_call>{"name": "pwd"}</tool_call>';

test('a text is read from a pipe, from a file that stands for standard input, and by its name', async () => {
  await writeFile(join(cwd, 'reply.txt'), `Hi. ${call}`);
  for (const source of ['< reply.txt', 'reply.txt', '< <(cat reply.txt)']) {
    const { exitCode, stdout, stderr } = await runShell(`talaria parse --parser hermes --json ${source}`, { cwd });
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({ reason: 'done', content: 'Hi.', tool_calls: [{ name: 'pwd' }] });
  }
});

test('errors are shown, and make the exit code', async () => {
  const { exitCode, stdout, stderr } = await runShell(`printf '<tool_call>{oops' | talaria parse --parser hermes`, {
    cwd,
  });
  expect([exitCode, stderr]).toEqual([1, '']);
  expect(stdout).toMatch(/^error: .* at 1:1: .*\n {2}1 \| <tool_call>\{oops\n {4}\| \^~+$/mu);
});

test('a text without end is read until nobody reads the events', async () => {
  const line = `(yes '${call}' || true) | talaria parse --parser hermes --stream | head -1`;
  const { exitCode, stdout, stderr } = await runShell(line, { cwd });
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^ {5}1 {2}call-start {6}#0 pwd call_/u);
});

test('events are told while the text still arrives, and SIGINT ends at once', async () => {
  const child = startTalaria(['parse', '--parser', 'hermes', '--stream', '--json'], { cwd, stdin: 'pipe' });
  child.stdin?.write(`${call} and then`);
  const [told] = await once(child.stdout, 'data');
  expect(String(told)).toContain('"type":"call-start"');
  child.kill('SIGINT');
  const { signal, stderr } = await child;
  expect([signal, stderr]).toEqual(['SIGINT', '']);
});
