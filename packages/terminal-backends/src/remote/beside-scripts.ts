import { randomBytes } from 'node:crypto';
import { openDeadline, quoteShell } from '@talaria/core';
import { execVariable } from '../shell-wrapper.ts';
import type { ChannelRequest } from './command-channel.ts';
import type { CommandRunner } from './command-runner.ts';
import type { Killer } from './killer.ts';
import type { RemoteTools } from './remote-tools.ts';
import { scriptLossError, scriptSizeError, scriptSpaceError, scriptTimeoutError } from './script-errors.ts';
import type { ScriptOptions, ScriptResult, ScriptRunner } from './script-runner.ts';
import { sendRequest } from './send-request.ts';
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
  const request: ChannelRequest = {
    execId,
    text: `cd /; set -- ${quoteShell(args)}\n${script}`,
    variables: `. ${quoteShell([`${runner.stateFolder}/environment`])}\nexport LC_ALL=C ${execVariable}=${execId}\n`,
    stdin,
    state: null,
    hear(bytes) {
      byteCount += bytes.length;
      if (byteCount <= maxOutputBytes) chunks.push(bytes);
    },
  };
  // Its time begins here, not when its turn comes.
  using deadline = openDeadline(tools.clock, timeoutMs, signal);
  try {
    const { outcome } = await sendRequest({ runner, killer, tools }, request, {
      isBeside: true,
      timeoutMs: Number.POSITIVE_INFINITY,
      graceMs: 0,
      signal: deadline.signal,
    });
    signal?.throwIfAborted();
    if (deadline.isExpired()) throw scriptTimeoutError(transport.kind, timeoutMs);
    if (outcome.kind === 'no-space') throw scriptSpaceError(transport.kind);
    if (outcome.kind !== 'ended') throw scriptLossError(transport.kind, 'sandbox.failed');
    if (byteCount > maxOutputBytes) throw scriptSizeError(transport.kind, maxOutputBytes);
    return { exitCode: outcome.exitCode, output: Buffer.concat(chunks) };
  } catch (error) {
    if (deadline.isExpired() && error === deadline.signal.reason) throw scriptTimeoutError(transport.kind, timeoutMs);
    throw error;
  }
}
