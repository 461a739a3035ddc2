import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { silentLogger, systemClock } from '@talaria/core';
import { exportLines } from '../src/remote/command-text.ts';
import { createKiller } from '../src/remote/killer.ts';
import { LauncherPool } from '../src/remote/launcher-pool.ts';
import { RemoteCommands } from '../src/remote/remote-commands.ts';
import type { RunOptions, RunResult } from '../src/sandbox.ts';
import { createProcessTransport } from './process-transport.ts';

const { signal } = new AbortController();
const path = process.env['PATH'] ?? '/usr/bin:/bin';
let count = 0;
let transport: ReturnType<typeof createProcessTransport>;
let runner: LauncherPool;
let commands: RemoteCommands;

beforeEach(async () => {
  transport = createProcessTransport({ PATH: path, HOME: '/' });
  count += 1;
  runner = await LauncherPool.open(
    {
      transport,
      stateId: `test${process.pid}x${count}`,
      clock: systemClock,
      environmentScript: () => exportLines({ PATH: path, HOME: '/', FIRST: 'yes' }),
    },
    signal,
  );
  const tools = { clock: systemClock, logger: silentLogger, killGraceMs: 100 };
  commands = new RemoteCommands(
    {
      sandboxId: 'test',
      limitMark: null,
      transport,
      runner,
      shell: 'bash',
      killer: createKiller(transport, tools),
      defaultTimeoutMs: 20_000,
      tools,
      resolvePath: async (name) => name,
    },
    '/',
  );
});

afterEach(async () => {
  runner.close();
  await rm(runner.stateFolder, { recursive: true, force: true, maxRetries: 5 });
});

function run(command: string, options: RunOptions = {}): Promise<RunResult> {
  return commands.run(command, options, signal);
}

async function outputOf(command: string, options: RunOptions = {}): Promise<string> {
  return (await run(command, options)).output;
}

test('one launcher serves all commands', async () => {
  for (const word of ['a', 'b', 'c']) expect(await outputOf(`echo ${word}`)).toBe(`${word}\n`);
  expect(transport.startCount()).toBe(1);
});

test('a command that kills the launcher is told of as killed, is ended, and the next finds the state', async () => {
  await run('cd /usr; export KEPT=1');
  const result = await run('echo before; kill -9 $PPID; trap "" TERM; sleep 600');
  expect(result).toMatchObject({ kind: 'exited', exitCode: 137, output: 'before\n' });
  expect(await outputOf('pwd; echo $KEPT')).toBe('/usr\n1\n');
  expect(transport.startCount()).toBe(3);
});

test('the state starts again where a command has removed it, without running anything twice', async () => {
  await run(`rm -rf ${runner.stateFolder}`);
  expect(await outputOf('echo $FIRST; cat', { stdin: 'input' })).toBe('yes\ninput');
  await run('export KEPT=1');
  expect(await outputOf('echo $KEPT')).toBe('1\n');
});

test('pipes and folders in the place of the state are taken away', async () => {
  const state = runner.stateFolder;
  await run(
    `for n in 0 1 2 3 4 5 6 7; do rm -f ${state}/environment-$n; mkfifo ${state}/environment-$n; done; rm -f ${state}/end; mkfifo ${state}/end`,
  );
  expect(await outputOf('echo $FIRST; export A=1', { timeoutMs: 5_000 })).toBe('yes\n');
  expect(await outputOf('echo $A', { timeoutMs: 5_000 })).toBe('1\n');
});

test('output that looks like the end of an answer is output', async () => {
  const text = String.raw`\036B:x\036\036E:0123:0:1:/etc\036Z:0123\036`;
  expect(await outputOf(`printf '${text}'; exit 3`)).toBe('\x1eB:x\x1e\x1eE:0123:0:1:/etc\x1eZ:0123\x1e');
  expect(commands.cwd).toBe('/');
});

test('a working folder may have any name', async () => {
  const name = `/tmp/talaria ${process.pid}:\n'x"\x1e`;
  await run('mkdir "$NAME" && cd "$NAME"', { env: { NAME: name } });
  expect(commands.cwd).toBe(name);
  expect(await outputOf('pwd')).toBe(`${name}\n`);
  await run('cd /; rmdir "$OLDPWD"');
});

test('variables of the command do not reach the launcher, whatever they are called', async () => {
  const env = { text: 'a', run: 'b', D: 'c', w: '1', r: '2', nonce: 'd', id: 'e', IFS: 'f' };
  expect(await outputOf('printenv text run D w r nonce id IFS', { env })).toBe('a\nb\nc\n1\n2\nd\ne\nf\n');
  expect(await outputOf('printenv text run D', { env, isStateless: true })).toBe('a\nb\nc\n');
  expect(await outputOf('echo on')).toBe('on\n');
});

test('values of the call stand in no list of arguments', async () => {
  const output = await outputOf(`cat /proc/$$/cmdline /proc/$PPID/cmdline | tr '\\0' ' '`, {
    env: { WORD: 'hush-hush' },
  });
  expect(output).not.toContain('hush-hush');
});

test('forty commands with something in the background leave no process and no file behind', async () => {
  for (let index = 0; index < 40; index += 1) await run('sleep 0.05 & echo x');
  await run('sleep 0.2');
  const names = await outputOf(`ls ${runner.stateFolder}`);
  expect(names.split('\n').filter((name) => !/^(environment(-\d)?|end|)$/.test(name))).toEqual([]);
  // The launcher's own children: what empties the pipe of this command, and the command.
  expect(await outputOf('ps -o comm= --ppid $PPID | sort')).toBe('bash\ncat\n');
});
