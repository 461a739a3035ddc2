import { randomBytes } from 'node:crypto';
import { openDeadline, quoteShell } from '@talaria/core';
import { execVariable } from '../shell-wrapper.ts';
import type { CommandRunner } from './command-runner.ts';
import type { Killer } from './killer.ts';
import { remoteError } from './remote-error.ts';
import type { RemoteTools } from './remote-tools.ts';
import type { ScriptOptions, ScriptResult, ScriptRunner } from './script-runner.ts';
import type { SandboxTransport } from './transport.ts';

/** What runs scripts beside the commands. */
export interface BesideScriptsParts {
  readonly transport: SandboxTransport;
  readonly runner: CommandRunner;
  readonly killer: Killer;
  readonly tools: RemoteTools;
}

const defaultTimeoutMs = 120_000;
const defaultOutputBytes = 16_777_216;

/** Runs whole scripts through the runner's launchers, which takes a few milliseconds; others are started by `streams`. */
export function createBesideScripts(parts: BesideScriptsParts, streams: Pick<ScriptRunner, 'start'>): ScriptRunner {
  return {
    start: (script, args, options) => streams.start(script, args, options),
    run: (script, args, options) => runBeside(parts, script, args, options),
  };
}

async function runBeside(
  { transport, runner, killer, tools }: BesideScriptsParts,
  script: string,
  args: readonly string[],
  options: ScriptOptions = {},
): Promise<ScriptResult> {
  const { stdin, signal, timeoutMs = defaultTimeoutMs, maxOutputBytes = defaultOutputBytes } = options;
  const execId = randomBytes(16).toString('hex');
  const chunks: Uint8Array[] = [];
  let byteCount = 0;
  using deadline = openDeadline(tools.clock, timeoutMs, signal);
  const answer = runner.runBeside(
    {
      execId,
      text: `cd /; set -- ${quoteShell(args)}\n${script}`,
      variables: `. ${quoteShell([`${runner.stateFolder}/environment`])}\nexport LC_ALL=C ${execVariable}=${execId}\n`,
      stdin,
      state: null,
      hear(bytes) {
        byteCount += bytes.length;
        if (byteCount <= maxOutputBytes) chunks.push(bytes);
      },
    },
    { signal: deadline.signal, onStart: () => undefined },
  );
  const end = () => killer.end({ mode: 'exec', execId }, 0);
  const onAbort = () => void end();
  deadline.signal.addEventListener('abort', onAbort, { once: true });
  try {
    const outcome = await answer;
    signal?.throwIfAborted();
    if (deadline.isExpired()) throw timeoutError(transport, timeoutMs);
    if (outcome.kind !== 'ended') throw lossError(transport, outcome.kind === 'no-space');
    if (byteCount > maxOutputBytes) throw sizeError(transport, maxOutputBytes);
    return { exitCode: outcome.exitCode, output: Buffer.concat(chunks) };
  } catch (error) {
    if (deadline.isExpired() && error === deadline.signal.reason) throw timeoutError(transport, timeoutMs);
    throw error;
  } finally {
    deadline.signal.removeEventListener('abort', onAbort);
  }
}

function timeoutError({ kind }: SandboxTransport, timeoutMs: number): unknown {
  return remoteError(kind, `A file operation took more than ${timeoutMs} ms and was ended`, {
    code: 'sandbox.timeout',
    phase: 'transfer',
    started: true,
    retryable: true,
    hint: 'See whether the sandbox has enough processor time, and whether its file system answers.',
  });
}

function lossError({ kind }: SandboxTransport, isFull: boolean): unknown {
  return remoteError(kind, isFull ? 'The sandbox has no room left' : 'The connection to the sandbox broke', {
    code: isFull ? 'sandbox.no-space' : 'sandbox.failed',
    phase: 'transfer',
    started: !isFull,
    hint: isFull ? 'Remove what is not needed in the sandbox.' : 'Look whether the sandbox still runs.',
  });
}

function sizeError({ kind }: SandboxTransport, maxOutputBytes: number): unknown {
  return remoteError(kind, `A file operation gave more than ${maxOutputBytes} bytes`, {
    code: 'sandbox.too-large',
    phase: 'transfer',
    started: true,
    hint: 'Work on fewer files at once.',
  });
}
