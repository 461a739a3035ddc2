import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';
import { keepUnread } from './keep-unread.ts';
import { launchScript, waitScript } from './launch-script.ts';
import { namespaceScript } from './namespace-script.ts';
import { exitCodeOf, type ProcessStart, readAll, readLine } from './root-process.ts';
import type { RootSpawnOptions } from './sandbox-root.ts';

const unshareProgram = '/usr/bin/unshare';
const nsenterProgram = '/usr/bin/nsenter';

/** Options of {@link enterNamespace}. */
export interface NamespaceOptions {
  readonly folder: string;
  readonly allowNetwork: boolean;
  /** Get the rights to make namespaces from a user namespace, rather than from being root. */
  readonly asUser: boolean;
}

/** Namespaces whose first process waits. */
export interface Namespace {
  /** The first process, as the host sees it. */
  readonly pid: number;
  /** How a program is started inside. */
  launch(words: readonly string[], options: RootSpawnOptions): ProcessStart;
  /** Kills everything inside; resolves when nothing is left. */
  end(): Promise<void>;
}

/** Makes namespaces. Rejects where the machine does not let us. */
export async function enterNamespace(options: NamespaceOptions): Promise<Namespace> {
  const { folder, allowNetwork, asUser } = options;
  const flags = ['--mount', '--pid', '--fork', '--kill-child', '--ipc', '--uts'];
  if (asUser) flags.push('--map-root-user');
  if (!allowNetwork) flags.push('--net');
  const script = ['/bin/bash', '-c', namespaceScript, 'init', folder, asUser ? 'user' : 'root'];
  const holder = spawn(unshareProgram, [...flags, '--', ...script, allowNetwork ? 'yes' : 'no'], {
    env: {},
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const exited = exitCodeOf(holder);
  holder.stdin.on('error', () => {});
  const pid = await reportedPid(holder, exited);
  const enter = ['--target', String(pid), '--mount', '--pid', '--ipc', '--uts'];
  if (asUser) enter.push('--user', '--preserve-credentials');
  if (!allowNetwork) enter.push('--net');
  let ended: Promise<void> | undefined;
  return {
    pid,
    launch: (words, { cwd = '/', env, mergeStderr = false }) => ({
      program: nsenterProgram,
      words: [
        ...[...enter, '--no-fork', '--', '/bin/sh', '-c', waitScript, launchScript],
        ...[cwd, mergeStderr ? 'merge' : 'apart', 'setsid', ...words],
      ],
      env,
      isLeader: false,
      signalGroup: (group, name) => signalInside(enter, group, name),
    }),
    end() {
      ended ??= (async () => {
        // The kernel kills whatever is left inside before the first process is gone.
        if (holder.exitCode === null && holder.signalCode === null) process.kill(pid, 'SIGKILL');
        await exited;
        holder.stdin.destroy();
      })();
      return ended;
    },
  };
}

async function reportedPid(
  holder: ChildProcessByStdio<Writable, Readable, Readable>,
  exited: Promise<number>,
): Promise<number> {
  const stderr = keepUnread(holder.stderr);
  const pid = Number(await readLine(holder.stdout));
  if (pid > 0) return pid;
  holder.stdin.destroy();
  const reason = await readAll(stderr);
  throw new Error(`No namespaces: ${unshareProgram} ended with ${await exited}: ${reason}`);
}

async function signalInside(enter: readonly string[], group: number, name: NodeJS.Signals): Promise<void> {
  // It forks, since only a child is in the other process table, where the number means that group.
  const words = [...enter, '--', '/bin/sh', '-c', 'kill -s "$0" -- "-$1"', name.slice(3), String(group)];
  try {
    await promisify(execFile)(nsenterProgram, words, { env: {} });
  } catch (error) {
    // Status 1: there is no such group any more, or no such namespace.
    if (!hasExitCode(error, 1)) throw error;
  }
}

function hasExitCode(error: unknown, code: number): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
