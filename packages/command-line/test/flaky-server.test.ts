import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { isJsonObject, type JsonValue, seededRandom, systemClock } from '@talaria/core';
import { defineEnvironment } from '@talaria/environments';
import { createScriptedServer, type ServerFault } from '@talaria/testing-services';
import { runProgram } from '../src/run-program.ts';
import { createFakeHost } from './fake-host.ts';

const groups = 20;
const groupSize = 2;

/** The model is to write a name into a file, and says so once it has. */
const writing = defineEnvironment({
  name: 'writing',
  isLocalSafe: true,
  configInit: () => ({ env: { enabled_toolsets: ['terminal'], group_size: groupSize, total_steps: groups } }),
  items: Array.from({ length: groups }, (_, index) => ({ id: `item-${index}` })),
  formatPrompt: ({ id }) => `Write ${id} to ~/file.txt`,
  computeReward: async ({ id }, _result, { terminal }) =>
    (await terminal('cat ~/file.txt')).output.trim() === id ? 1 : 0,
});

/** What a server may do now and then; the first three are asked for again, the others are not. */
const faults: readonly ServerFault[] = [
  { fault: 'rate-limited', retryAfterMs: 5 },
  { fault: 'status', status: 503, headers: { 'retry-after-ms': '5' } },
  { fault: 'status', status: 500, headers: { 'retry-after-ms': '5' } },
  { fault: 'hang-up' },
  { fault: 'html' },
  { fault: 'malformed-json' },
  { fault: 'empty-choices' },
  { fault: 'status', status: 400, body: { error: { message: 'no \u001B[31msuch thing' } } },
];

function answer(messages: JsonValue | undefined) {
  const list = Array.isArray(messages) ? messages.filter(isJsonObject) : [];
  if (list.at(-1)?.['role'] === 'tool') return { content: 'Written.' };
  const id = /item-\d+/.exec(String(list.find(({ role }) => role === 'user')?.['content']))?.[0];
  return { toolCalls: [{ name: 'terminal', arguments: JSON.stringify({ command: `echo ${id} > ~/file.txt` }) }] };
}

let cwd: string;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'talaria-flaky-'));
});

afterEach(() => rm(cwd, { recursive: true, force: true }));

test('with a server that fails every fourth time, all is counted and nothing that failed is scored', async () => {
  const random = seededRandom('flaky');
  let faultCount = 0;
  await using server = await createScriptedServer({
    script(request, index) {
      // An endpoint that never answered ends the run at once.
      const fault = index > 0 && random() < 0.25 ? faults[Math.floor(random() * faults.length)] : undefined;
      if (fault === undefined) return answer(request.body?.['messages']);
      faultCount += 1;
      return fault;
    },
  });
  const host = createFakeHost({
    argv: ['run', 'writing', '--model', 'some', '--concurrency', '4', '--output', 'out', '--json'],
    cwd,
    homeFolder: cwd,
    variables: { PATH: process.env['PATH'] ?? '', OPENAI_BASE_URL: server.baseUrl, OPENAI_API_KEY: 'any' },
  });
  const manifestUrl = new URL('../package.json', import.meta.url);
  await runProgram({ ...host, clock: systemClock }, { builtins: { writing: async () => writing }, manifestUrl });

  const report = JSON.parse(host.stdout.text);
  const rejected = report.groups_rejected.failed ?? 0;
  expect(faultCount).toBeGreaterThan(10);
  expect(host.stderr.text).toContain('model.retry');
  expect(host.stderr.text).not.toContain('\u001B');
  expect(report.rollouts).toHaveLength(groups * groupSize);
  expect(report.groups_accepted + rejected).toBe(groups);
  for (const { reward, failure } of report.rollouts) expect(reward).toBe(failure === null ? 1 : null);
  const lines = (await readFile(join(cwd, 'out', 'writing.jsonl'), 'utf8')).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).scores)).toEqual(Array.from(lines, () => [1, 1]));
  expect(lines).toHaveLength(report.groups_accepted);
}, 60_000);
