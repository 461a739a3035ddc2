import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { SandboxTransport, TransportProcess } from '../src/remote/transport.ts';

/** A transport whose processes are plain children of this one, each in a session of its own. */
export function createProcessTransport(environment: Readonly<Record<string, string>>): SandboxTransport & {
  /** How many processes were started. */
  readonly startCount: () => number;
} {
  let count = 0;
  return {
    kind: 'docker',
    isInteractive: true,
    hasPty: false,
    startCount: () => count,
    isAlive: async () => true,
    async start({ words, hasStdin = false, signal }) {
      signal?.throwIfAborted();
      count += 1;
      const [file = '', ...args] = words;
      const child = spawn(file, args, {
        cwd: '/',
        env: { ...environment },
        detached: true,
        stdio: [hasStdin ? 'pipe' : 'ignore', 'pipe', 'pipe'],
      });
      return await started(child);
    },
  };
}

async function started(child: ChildProcess): Promise<TransportProcess> {
  const exited = new Promise<number>((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve).once('error', reject);
  });
  if (child.stdout === null || child.stderr === null) throw new Error('The child has no output');
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    exited,
    close() {
      child.stdin?.destroy();
      child.stdout?.destroy();
      child.stderr?.destroy();
    },
  };
}
