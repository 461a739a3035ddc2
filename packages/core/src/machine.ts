import { execFile } from 'node:child_process';
import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { promisify } from 'node:util';
import { systemErrorCode } from './errors.ts';
import { contentHash } from './identifier.ts';

/** One machine since one boot, or a container on it, as its processes see it. */
export interface Machine {
  readonly host: string;
  /** Changes with every boot; `''` where the system has none. */
  readonly bootId: string;
  /** Names the space in which process numbers are unique; `''` where the system has one only. */
  readonly pidNamespace: string;
  /**
   * Stays the same from boot to boot, and no other machine that was set up by itself has it; `''` where there is none, and
   * in a container, which has that of its image. Copies of a whole machine share it.
   */
  readonly machineId: string;
}

/** The number that Linux gives to the process space of the machine itself. */
const outermostNamespace = 'pid:[4026531836]';

/** Describes the machine that this process runs on. */
export async function describeMachine(): Promise<Machine> {
  const pidNamespace = await textOrEmpty(readlink('/proc/self/ns/pid'));
  return {
    host: hostname(),
    bootId: await readBootId(),
    pidNamespace,
    machineId: pidNamespace === outermostNamespace ? await readMachineId() : '',
  };
}

const runFile = promisify(execFile);

async function readBootId(): Promise<string> {
  const linux = await textOrEmpty(readFile('/proc/sys/kernel/random/boot_id', 'utf8'));
  if (linux !== '' || process.platform !== 'darwin') return linux.trim();
  const told = await runFile('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid']).catch(() => ({ stdout: '' }));
  return told.stdout.trim();
}

/** Not the number itself, which is not to leave the machine. A system that has not started yet may say `uninitialized`. */
async function readMachineId(): Promise<string> {
  const text = (await textOrEmpty(readFile('/etc/machine-id', 'utf8'))).trim();
  return /^[0-9a-f]{32}$/.test(text) ? contentHash(['talaria', text]).slice(0, 16) : '';
}

/** What a system does not tell is `''`. */
function textOrEmpty(text: Promise<string>): Promise<string> {
  return text.catch((error: unknown) => {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES') return '';
    throw error;
  });
}
