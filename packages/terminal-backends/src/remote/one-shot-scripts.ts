import { randomBytes } from 'node:crypto';
import { type Clock, DeadlineExceeded, type Logger, openDeadline, raceAbort } from '@talaria/core';
import { type CommandShell, shellWords } from './direct-runner.ts';
import { endSurely } from './end-surely.ts';
import { createKiller, type Killer } from './killer.ts';
import { scriptLossError, scriptSizeError, scriptTimeoutError } from './script-errors.ts';
import type { ScriptOptions, ScriptResult, ScriptRunner, StartedScript } from './script-runner.ts';
import { startSurely } from './start-surely.ts';
import type { SandboxTransport, TransportProcess } from './transport.ts';

/** What {@link createOneShotScripts} needs beside the transport. */
export interface OneShotScriptsParts {
  readonly clock: Clock;
  readonly logger: Logger;
  /** What runs the scripts. */
  readonly shell: CommandShell;
  /** Variables for every script, for example `PATH` and `HOME` of the sandbox. No secrets. @default none */
  readonly environment?: (() => Readonly<Record<string, string>>) | undefined;
  /** Ends scripts. @default one that runs by the same transport */
  readonly killer?: Killer | undefined;
  /** Between SIGTERM and SIGKILL, for a script that is ended. @default 200 */
  readonly killGraceMs?: number | undefined;
}

const defaultMaxOutputBytes = 16_777_216;
const defaultTimeoutMs = 120_000;

/** Runs each script by a process of its own. */
export function createOneShotScripts(transport: SandboxTransport, parts: OneShotScriptsParts): ScriptRunner {
  const { clock, logger, shell, environment, killGraceMs = 200 } = parts;
  const killer = parts.killer ?? createKiller(transport, { clock, logger });

  async function startMarked(
    [script, args]: readonly [string, readonly string[]],
    options: { readonly hasStdin: boolean; readonly mergeStderr: boolean; readonly signal: AbortSignal | undefined },
  ): Promise<StartedScript> {
    const { hasStdin, mergeStderr, signal } = options;
    signal?.throwIfAborted();
    const execId = randomBytes(16).toString('hex');
    const variables = Object.entries({ ...environment?.(), LC_ALL: 'C', TALARIA_EXEC_ID: execId });
    // By `env`, which becomes the shell: a variable that the shell exported itself would mark only what it starts.
    const marks = ['env', ...variables.map(([name, value]) => `${name}=${value}`)];
    const text = `${mergeStderr ? 'exec 2>&1; ' : ''}cd /\n${script}`;
    const words = [...marks, ...shellWords[shell], '-c', text, 'talaria', ...args];
    const kill = (stop: AbortSignal) => killer.end({ mode: 'exec', execId }, killGraceMs, stop);
    const started = await startSurely(transport, { words, hasStdin, signal }, { kill, clock });
    const ending = { clock, graceMs: killGraceMs };
    return withEnd(started, async () => void (await endSurely(kill, started.exited, ending)));
  }

  async function run(script: string, args: readonly string[], options: ScriptOptions = {}): Promise<ScriptResult> {
    const { stdin, maxOutputBytes = defaultMaxOutputBytes, timeoutMs = defaultTimeoutMs, signal } = options;
    using deadline = openDeadline(clock, timeoutMs, signal);
    const started = await startMarked([script, args], {
      hasStdin: stdin !== undefined,
      mergeStderr: true,
      signal: deadline.signal,
    }).catch((error: unknown) => {
      throw nameTimeout(error, transport);
    });
    try {
      // A script may end without reading its input.
      started.stdin?.on('error', () => undefined).end(stdin);
      started.stderr?.on('error', () => undefined).resume();
      const reading = readOutput(started, maxOutputBytes, transport);
      const [output, exitCode] = await raceAbort(Promise.all([reading, started.exited]), deadline.signal);
      if (exitCode === null) throw scriptLossError(transport.kind, 'sandbox.lost');
      return { exitCode, output };
    } catch (error) {
      await started.end();
      throw nameTimeout(error, transport);
    } finally {
      started.close();
    }
  }

  return {
    run,
    start: (script, args, { hasStdin = false, signal } = {}) =>
      startMarked([script, args], { hasStdin, mergeStderr: false, signal }),
  };
}

/** Adds `end` to a process: it is idempotent, and does nothing to what has ended. */
function withEnd(started: TransportProcess, kill: () => Promise<void>): StartedScript {
  let hasEnded = false;
  started.exited.then((exitCode) => {
    // A lost connection says nothing about what runs inside.
    hasEnded = exitCode !== null;
  });
  let ending: Promise<void> | undefined;
  return {
    stdin: started.stdin,
    stdout: started.stdout,
    stderr: started.stderr,
    exited: started.exited,
    close: () => started.close(),
    end() {
      started.discardOutput?.();
      ending ??= hasEnded ? Promise.resolve() : kill();
      return ending.then(() => started.close());
    },
  };
}

/** Everything that a script writes. A failed stream is the end of it: the exit code tells of a lost connection. */
function readOutput(started: TransportProcess, maxBytes: number, transport: SandboxTransport): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve, reject) => {
    const finish = () => resolve(Buffer.concat(chunks));
    started.stdout
      .on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes <= maxBytes) chunks.push(chunk);
        else reject(scriptSizeError(transport.kind, maxBytes));
      })
      .once('end', finish)
      .once('close', finish)
      .once('error', finish);
  });
}

function nameTimeout(error: unknown, { kind }: SandboxTransport): unknown {
  return error instanceof DeadlineExceeded ? scriptTimeoutError(kind, error.timeoutMs, error) : error;
}
