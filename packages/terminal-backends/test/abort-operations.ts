import { join } from 'node:path';
import type { Sandbox } from '../src/index.ts';

/** What can be aborted while a sandbox is open. Each needs what {@link prepareSandbox} has made. */
export type AbortOperation = (sandbox: Sandbox, signal: AbortSignal, host: string) => Promise<unknown>;

/** Every call that takes a signal. */
export const abortOperations: Readonly<Record<string, AbortOperation>> = {
  run: (sandbox, signal) => sandbox.run('echo a; (exec sleep 600) & echo b; exit 3', { signal }),
  'run with input': (sandbox, signal) => sandbox.run('cat', { stdin: Buffer.alloc(300_000), signal }),
  'run that waits': (sandbox, signal) => sandbox.run('export A=1; sleep 0.05; echo b', { signal }),
  'run beside others': (sandbox, signal) => sandbox.run('echo a', { isStateless: true, signal }),
  runProgram: (sandbox, signal) => sandbox.runProgram(['cat', '/dev/null'], { signal }),
  async spawn(sandbox, signal) {
    const started = await sandbox.spawn('trap "" TERM; echo a; sleep 600', { signal });
    await started.kill({ graceMs: 20 });
  },
  writeFile: (sandbox, signal) => sandbox.writeFile('~/written', Buffer.alloc(200_000), { signal }),
  readFile: (sandbox, signal) => sandbox.readFile('~/file', { signal }),
  upload: (sandbox, signal, host) => sandbox.upload(join(host, 'tree'), '~/up', { signal }),
  'upload of a file': (sandbox, signal, host) => sandbox.upload(join(host, 'tree/file'), '~/up-file', { signal }),
  download: (sandbox, signal, host) => sandbox.download('~/tree', join(host, 'down'), { signal }),
  'download of a file': (sandbox, signal, host) => sandbox.download('~/file', join(host, 'down-file'), { signal }),
  stat: (sandbox, signal) => sandbox.stat('~/file', { signal }),
  list: (sandbox, signal) => sandbox.list('~/tree', { signal }),
  makeDirectory: (sandbox, signal) => sandbox.makeDirectory('~/made/deep', { signal }),
  // Onto itself: done or not, the next attempt finds the same.
  move: (sandbox, signal) => sandbox.move('~/there', '~/there', { signal }),
  remove: (sandbox, signal) => sandbox.remove('~/none', { signal }),
};

/** Makes what the operations need. */
export async function prepareSandbox(sandbox: Sandbox, host: string): Promise<void> {
  await sandbox.upload(join(host, 'tree'), '~/tree');
  await sandbox.run('cp ~/tree/file ~/file; echo > ~/there');
}

/**
 * Awaits an operation that is or was aborted. It may have been `done` before that; else it must end with the very reason, or
 * a command as one that was interrupted: it was `aborted`. @throws Error for any other end
 */
export async function expectAborted(working: Promise<unknown>, reason: unknown): Promise<'done' | 'aborted'> {
  try {
    const result = await working;
    if (typeof result !== 'object' || result === null || !('kind' in result)) return 'done';
    if (result.kind === 'timed-out') throw new Error('A command that was aborted went on until its time limit');
    return result.kind === 'interrupted' ? 'aborted' : 'done';
  } catch (error) {
    if (error === reason) return 'aborted';
    throw error;
  }
}
