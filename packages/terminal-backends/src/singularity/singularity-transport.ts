import { type Clock, quoteShell } from '@talaria/core';
import { judgeOwner } from '../ledger/sandbox-owner.ts';
import { type StartedChild, startChild } from '../local/child-process.ts';
import type { FifoPool } from '../local/fifo-pool.ts';
import type { SandboxTransport, TransportProcess, TransportRequest } from '../remote/transport.ts';
import { confirmStart, entryScript, ownError } from './confirm-start.ts';
import type { RunningInstance } from './instance-plan.ts';
import { singularityError } from './singularity-error.ts';

/** What a transport into one instance needs. */
export interface SingularityTransportParts {
  readonly name: string;
  readonly program: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly instance: () => RunningInstance;
  /** Ends it and starts it again, with the files that it has. */
  readonly restart: () => Promise<void>;
  /** Path of `script`, which makes terminals; `null` where there is none. */
  readonly script: string | null;
  /** Whether the graphics cards are shown: their libraries are found by a variable. */
  readonly keepsLibraryPath: boolean;
  readonly pool: FifoPool;
  readonly clock: Clock;
}

const terminalSize = 'stty rows 30 cols 120 2>/dev/null';

/** Starts processes in an instance, each by a call of the program. */
export function createSingularityTransport(parts: SingularityTransportParts): SandboxTransport {
  const { name, program, environment, instance, script, pool, clock } = parts;
  const entry = entryScript(parts.keepsLibraryPath);

  async function isAlive(): Promise<boolean> {
    return (await judgeOwner(instance().first)) === 'alive';
  }

  function commandLine({ words, pty = false }: TransportRequest): readonly [string, ...string[]] {
    const options = [
      'exec',
      '--cleanenv',
      '--no-umask',
      ...instance().privileges.forExec,
      '--pwd',
      '/',
      `instance://${name}`,
    ];
    const line = [program, ...options, 'sh', '-c', entry, 'talaria', ...words] as const;
    if (!pty || script === null) return line;
    return [script, '-qfec', `${terminalSize}; exec ${quoteShell(line)}`, '/dev/null'];
  }

  return {
    kind: 'singularity',
    isInteractive: true,
    hasPty: script !== null,
    async start(request) {
      const { signal, pty = false, hasStdin = false } = request;
      signal?.throwIfAborted();
      if (!(await isAlive())) throw lostError(name);
      const [file, ...args] = commandLine(request);
      const stdin = hasStdin ? 'pipe' : 'none';
      const child = await startChild(
        { file, args, environment, cwd: '/', stdin, mergeStderr: pty, hasReport: true },
        pool,
      ).catch((error: unknown) => {
        throw ownError(error);
      });
      const [wanted = ''] = request.words;
      await confirmStart(child, { file: wanted, isAlive, lost: () => lostError(name), clock, signal });
      return processOf(child, isAlive, clock);
    },
    async endEverything() {
      // What has ended stays so: a sandbox that is lost or closed does not come back.
      if (!(await isAlive())) throw lostError(name);
      await parts.restart();
    },
    isAlive,
  };
}

/** Exit codes that the program gives where the instance ended under it, but not only then. */
const doubtfulCodes: ReadonlySet<number> = new Set([137, 255]);
const doubtPausesMs = [0, 30, 100];

function processOf(child: StartedChild, isAlive: () => Promise<boolean>, clock: Clock): TransportProcess {
  /** The first process of an instance ends a moment after the others. */
  async function judgeExit(exitCode: number): Promise<number | null> {
    if (!doubtfulCodes.has(exitCode)) return exitCode;
    for (const pauseMs of doubtPausesMs) {
      await clock.sleep(pauseMs);
      if (!(await isAlive())) return null;
    }
    return exitCode;
  }
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    exited: child.exited.then(judgeExit, () => null),
    close: () => child.release(),
  };
}

function lostError(name: string): unknown {
  return singularityError(`The instance ${name} of the sandbox is gone`, {
    code: 'sandbox.lost',
    phase: 'exec',
    hint: 'Find out what ended it (dmesg tells of memory), and start again with a new sandbox.',
  });
}
