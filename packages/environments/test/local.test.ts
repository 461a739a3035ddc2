import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { Secret } from '@talaria/core';
import { createLocalBackend } from '@talaria/terminal-backends/local';
import { createFakeBackend } from '@talaria/terminal-backends/testing';
import { createBuiltinRegistry } from '@talaria/tools';
import { processEnvironment } from '../src/index.ts';
import { callTool, driverOptions, numberItems, numbers, readRows, temporaryFolder } from './harness.ts';

function localBackend(folder: string) {
  return createLocalBackend({
    stateFolder: join(folder, 'state'),
    environment: { PATH: process.env['PATH'] },
    killGraceMs: 50,
  });
}

/** Process ids of commands that carry a mark. */
async function listMarked(mark: string): Promise<readonly string[]> {
  try {
    const { stdout } = await promisify(execFile)('pgrep', ['-f', mark]);
    return stdout.trim().split('\n');
  } catch {
    // pgrep fails where it finds nothing.
    return [];
  }
}

/** Everything in the state folder that belongs to a sandbox. */
async function listSandboxFolders(folder: string): Promise<readonly string[]> {
  const entries = await readdir(join(folder, 'state'), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory() && entry.name === 'home').map((entry) => entry.parentPath);
}

describe('on the local backend', () => {
  test('rollouts of one group cannot see the files of each other, nor those of the next group', async () => {
    await using folder = await temporaryFolder();
    const environment = numbers({
      items: numberItems(2),
      async computeReward(_item, { messages }, context) {
        const listing = String(messages.findLast((message) => message.role === 'tool')?.content);
        expect(listing).toContain('files:mine');
        expect((await context.terminal('ls -A ~')).output.trim()).toBe('mine');
        return 1;
      },
    });
    const script = ({ messages }: { messages: readonly unknown[] }) =>
      messages.length === 1
        ? callTool('terminal', { command: 'touch ~/mine; echo "files:$(ls ~ | tr "\\n" " ")"' })
        : { content: 'done' };
    const changes = { backend: localBackend(folder.path), registry: createBuiltinRegistry() };
    const argv = ['--steps', '2', '--group-size', '3', '--toolsets', 'terminal'];
    const summary = await processEnvironment(
      environment,
      driverOptions(environment, { folder: folder.path, argv, script, changes }),
    );
    expect(summary).toMatchObject({ outcome: 'done', meanReward: 1 });
    expect(await listSandboxFolders(folder.path)).toEqual([]);
  });

  test('a verifier has none of the limits that the model has', async () => {
    await using folder = await temporaryFolder();
    const key = new Secret('MODEL_KEY', 'sk-0123456789');
    const outside = join(folder.path, 'outside.txt');
    // Harmless, and forbidden to the model by its first word.
    const forbidden = { command: 'shutdown() { echo ran; }; shutdown' };
    const environment = numbers({
      items: numberItems(1),
      async computeReward(_item, { messages }, { callTool }) {
        const seen = messages.flatMap((message) => (message.role === 'tool' ? [message.content] : []));
        expect(seen[0]).toContain('"status":"blocked"');
        expect(seen[1]).toContain('key [redacted:MODEL_KEY]');
        expect((await callTool('terminal', forbidden)).content).toContain('ran');
        expect((await callTool('terminal', { command: 'echo key sk-0123456789' })).content).toContain('sk-0123456789');
        const long = await callTool('terminal', { command: 'head -c 300000 /dev/zero | tr "\\0" x' });
        expect([long.storedAt, long.content.match(/x+/)?.[0].length]).toEqual([null, 300_000]);
        await callTool('write_file', { path: outside, content: 'a' });
        for (let round = 1; round <= 5; round += 1) {
          const read = await callTool('read_file', { path: outside });
          expect([read.isError, read.content.includes('times')]).toEqual([false, false]);
        }
        return 1;
      },
    });
    const script = ({ messages }: { messages: readonly unknown[] }) =>
      [
        callTool('terminal', forbidden),
        callTool('terminal', { command: 'echo key sk-01234"56789"' }),
        { content: 'done' },
      ][(messages.length - 1) / 2] ?? { content: 'done' };
    const changes = { backend: localBackend(folder.path), registry: createBuiltinRegistry(), secrets: [key] };
    const argv = ['--steps', '1', '--group-size', '1', '--toolsets', 'terminal', '--tools.safe_root', '/nowhere'];
    const summary = await processEnvironment(
      environment,
      driverOptions(environment, { folder: folder.path, argv, script, changes }),
    );
    expect(summary.rollouts[0]?.failure ?? null).toBeNull();
    expect(summary).toMatchObject({ outcome: 'done', meanReward: 1 });
    expect(JSON.stringify(await readRows(summary.outputPath))).not.toContain('sk-0123456789');
  });

  test.each(['first', 'second'] as const)(
    'nothing is left after the %s wish to stop in the middle of a command',
    async (wish) => {
      await using folder = await temporaryFolder();
      const mark = `talaria-leak-${process.pid}-${wish}`;
      const stop = new AbortController();
      const force = new AbortController();
      const environment = numbers({
        async prepareSandbox(_item, context) {
          await context.terminal(`(exec -a ${mark} sleep 300) >/dev/null 2>&1 &`);
        },
      });
      const script = () => {
        setTimeout(() => stop.abort(new Error('stop')), 100);
        if (wish === 'second') setTimeout(() => force.abort(new Error('now')), 120);
        return callTool('terminal', { command: `exec -a ${mark} sleep 300` });
      };
      const changes = {
        backend: localBackend(folder.path),
        registry: createBuiltinRegistry(),
        signal: stop.signal,
        forceSignal: force.signal,
      };
      const summary = await processEnvironment(
        environment,
        driverOptions(environment, { folder: folder.path, script, changes, argv: ['--toolsets', 'terminal'] }),
      );
      expect(summary.outcome).toBe('interrupted');
      expect(await listMarked(mark)).toEqual([]);
      expect(await listSandboxFolders(folder.path)).toEqual([]);
    },
  );

  test('a process that was started in the background ends with its rollout', async () => {
    await using folder = await temporaryFolder();
    const mark = `talaria-background-${process.pid}`;
    const environment = numbers({
      async computeReward(_item, _result, context) {
        await context.terminal(`(exec -a ${mark} sleep 300) >/dev/null 2>&1 & disown`);
        expect(await listMarked(mark)).not.toEqual([]);
        return 1;
      },
    });
    const changes = { backend: localBackend(folder.path), registry: createBuiltinRegistry() };
    const argv = ['--steps', '1', '--group-size', '1', '--toolsets', 'terminal'];
    await processEnvironment(environment, driverOptions(environment, { folder: folder.path, changes, argv }));
    expect(await listMarked(mark)).toEqual([]);
  });
});

test('two environments with different backends work in one process at the same time', async () => {
  await using folder = await temporaryFolder();
  const inMemory = createFakeBackend();
  const home: string[] = [];
  const environment = numbers({
    async computeReward(_item, _result, context) {
      home.push((await context.sandbox()).home);
      return 1;
    },
  });
  const argv = ['--steps', '2', '--toolsets', 'terminal'];
  const registry = createBuiltinRegistry();
  const summaries = await Promise.all([
    processEnvironment(
      environment,
      driverOptions(environment, {
        folder: join(folder.path, 'a'),
        argv,
        changes: { registry, backend: localBackend(folder.path) },
      }),
    ),
    processEnvironment(
      environment,
      driverOptions(environment, { folder: join(folder.path, 'b'), argv, changes: { registry, backend: inMemory } }),
    ),
  ]);
  expect(summaries.map((summary) => summary.meanReward)).toEqual([1, 1]);
  expect(home.filter((path) => path === '/home/user')).toHaveLength(4);
  expect(new Set(home.filter((path) => path.startsWith(folder.path))).size).toBe(4);
});
