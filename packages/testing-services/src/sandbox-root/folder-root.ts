import { readdir, readFile } from 'node:fs/promises';
import { systemErrorCode } from '@talaria/core';
import { launchScript } from './launch-script.ts';
import type { ProcessStart } from './root-process.ts';
import type { RootSpawnOptions } from './sandbox-root.ts';

/** How a program is started on the host itself, where namespaces do not work. */
export function launchOnHost(words: readonly string[], options: RootSpawnOptions): ProcessStart {
  const { cwd = '/', env, mergeStderr = false } = options;
  return {
    program: '/bin/sh',
    words: ['-c', launchScript, 'sh', cwd, mergeStderr ? 'merge' : 'apart', 'already', ...words],
    env,
    isLeader: true,
    signalGroup: (pid, name) => Promise.resolve(signalNumber(-pid, name)),
  };
}

/**
 * Kills what runs with the folder in one of its variables, as long as there is any: programs that left their group
 * cannot be told from the host's otherwise. Finds nothing where there is no `/proc`.
 */
export async function killBelow(folder: string): Promise<void> {
  for (let pids = await pidsBelow(folder); pids.length > 0; pids = await pidsBelow(folder)) {
    for (const pid of pids) signalNumber(pid, 'SIGKILL');
  }
}

/** Signals a process, or a group where the number is negative; one that is gone is no error. */
export function signalNumber(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (systemErrorCode(error) !== 'ESRCH') throw error;
  }
}

async function pidsBelow(folder: string): Promise<readonly number[]> {
  const names = await readdir('/proc').catch(() => []);
  const pids: number[] = [];
  for (const name of names) {
    const pid = Number(name);
    if (!(pid > 0) || pid === process.pid) continue;
    // A process that ended meanwhile, or that is another user's, is not ours.
    const environment = await readFile(`/proc/${name}/environ`, 'latin1').catch(() => '');
    if (environment.includes(`=${folder}/`)) pids.push(pid);
  }
  return pids;
}
