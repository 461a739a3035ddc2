import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { startTalaria } from './talaria-process.ts';

/*
 * Environments whose code does what nobody should to the process that runs it.
 */

let cwd: string;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'talaria-careless-'));
});

afterEach(() => rm(cwd, { recursive: true, force: true }));

/** Runs an environment that does what `changes` say, and a statement before it. */
async function run(changes: string, statement = '') {
  const text = `${statement}
export const environment = {
  name: 'careless',
  isLocalSafe: true,
  configInit: () => ({ env: { enabled_toolsets: ['terminal'], group_size: 1, total_steps: 1 } }),
  getNextItem: async () => ({ id: 'one' }),
  formatPrompt: () => 'Say it.',
  computeReward: async () => 1,
  referenceTurns: () => [{ content: 'It.' }],
  ${changes}
};
`;
  await writeFile(join(cwd, 'careless.mjs'), text);
  const result = await startTalaria(['run', './careless.mjs', '--output', 'out', '--json'], { cwd });
  return { ...result, report: JSON.parse(result.stdout) };
}

test.each([
  ['while it is loaded', '', 'await new Promise(() => {});'],
  ['before its first item', 'getNextItem: () => new Promise(() => {}),', ''],
  ['in a reward', 'computeReward: () => new Promise(() => {}),', ''],
])('one that waits for ever %s is told, and leaves nothing', async (_title, changes, statement) => {
  const { exitCode, stderr, report } = await run(changes, statement);
  expect(exitCode).toBe(1);
  expect(stderr).toContain('waits for something that can never happen [task.never-settles]');
  expect(report).toMatchObject({ reason: 'failed', error: { code: 'task.never-settles' } });
  const left = await readdir(join(cwd, 'out')).catch(() => []);
  expect(left.filter((name) => name.startsWith('lock'))).toEqual([]);
});

test('one that ends the process is told, and is no success', async () => {
  const { exitCode, stderr, report } = await run('computeReward: async () => process.exit(0),');
  expect(exitCode).toBe(1);
  expect(stderr).toContain('[task.ended-process]');
  expect(report).toMatchObject({ exit_code: 1, error: { code: 'task.ended-process' } });
});

test('what one logs does not spoil the object on standard output', async () => {
  const { exitCode, stdout, stderr } = await run(
    'computeReward: async () => (console.log("noise"), 1),',
    'console.log("noise");',
  );
  expect(exitCode).toBe(0);
  expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  expect(stderr.match(/noise/g)).toHaveLength(2);
});

test('names and messages cannot act on the terminal', async () => {
  const clearScreen = '\u001B[2J';
  const { stderr } = await run(
    `describeItem: () => 'a\\n${clearScreen}b', computeReward: async () => { throw new Error('x${clearScreen}') },`,
  );
  expect(stderr).not.toContain('\u001B');
  expect(stderr).toMatch(/^a \[2Jb #0: /m);
});
