import { errorMessage, isJsonObject, type JsonObject, parseJson } from '@talaria/core';
import type { RunResult, SandboxHandle } from '@talaria/terminal-backends';
import { isSandboxLost } from '../sandbox-failure.ts';
import type { ToolCallContext } from '../tool.ts';
import { type CallAnswerer, createCallAnswerer } from './answer-calls.ts';
import { createFrameReader, frameKinds, type ScriptFrame } from './frame-reader.ts';
import { type ScriptJob, scriptCommand, scriptInput } from './script-job.ts';

/** What is known of a script that was run. */
export interface ScriptRun {
  /** How the command ended in which it ran. */
  readonly result: RunResult;
  /** What its supervisor said of it; `null` where that was ended before. */
  readonly facts: ScriptFacts | null;
  /** Why it could not be started; `null` where it was. */
  readonly refusal: ScriptRefusal | null;
  /** Whether something else came than frames. */
  readonly isBroken: boolean;
  /** Whether the host ended what was left of it. */
  readonly wasStopped: boolean;
  readonly output: Buffer;
  readonly errors: Buffer;
  /** Calls that tools were asked for. */
  readonly callCount: number;
}

/** How a script ended. */
export interface ScriptFacts {
  readonly exitCode: number;
  readonly hasTimedOut: boolean;
  /** Bytes of the output that were not kept. */
  readonly missingBytes: number;
  /** Bytes of the standard error that were not kept. */
  readonly missingErrorBytes: number;
}

/** Why a script was not started. */
export type ScriptRefusal =
  | { readonly kind: 'no-python' }
  | { readonly kind: 'old-python'; readonly version: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** More than any frame needs: a request, or all of an output. */
const maxFrameBytes = 8_388_608;
/** What the command may write in all where a backend keeps its output until it is fetched. */
const maxChannelBytes = 67_108_864;
/** How long the sandbox may take beyond the script's time, which its supervisor keeps. */
const marginMs = 10_000;

/**
 * Runs a script to its end with the calls that it makes, and ends all that it started. Nothing of it is left in the sandbox
 * then. Rejects where the sandbox fails, where a call rejects, and where the context's signal is aborted before the start.
 */
export async function runScript(job: ScriptJob, sandbox: SandboxHandle, context: ToolCallContext): Promise<ScriptRun> {
  const stopping = new AbortController();
  const failures: unknown[] = [];
  function stop(): void {
    stopping.abort(new Error('The script has ended'));
  }
  const answerer = createCallAnswerer({
    job,
    sandbox,
    context,
    fail(error) {
      failures.push(error);
      stop();
    },
  });
  const hearing = createHearing(answerer, stop);
  const cleanup: ScriptCleanup = { job, sandbox, context, answerer };
  let result: RunResult;
  try {
    result = await sandbox.run(scriptCommand, {
      isStateless: true,
      stdin: scriptInput(job),
      timeoutMs: job.timeoutMs + marginMs,
      maxOutputBytes: maxChannelBytes,
      onOutput: hearing.hear,
      signal: AbortSignal.any([context.signal, stopping.signal]),
    });
  } catch (error) {
    await cleanUp(cleanup, !isSandboxLost(error));
    throw error;
  }
  // A clean end has removed the folder; a reply that came too late makes it again.
  await cleanUp(cleanup, result.kind !== 'exited' || hearing.state.facts === null);
  if (failures.length > 0) throw failures[0];
  return {
    ...hearing.state,
    result,
    callCount: answerer.callCount,
    isBroken: hearing.isBroken(),
    wasStopped: stopping.signal.aborted,
  };
}

interface ScriptCleanup {
  readonly job: ScriptJob;
  readonly sandbox: SandboxHandle;
  readonly context: ToolCallContext;
  readonly answerer: CallAnswerer;
}

async function cleanUp({ job, sandbox, context, answerer }: ScriptCleanup, mayHaveFolder: boolean): Promise<void> {
  const hadWork = await answerer.stop();
  if (!mayHaveFolder && !hadWork) return;
  try {
    await sandbox.remove(job.folder);
  } catch (error) {
    // It goes with the sandbox.
    context.logger.warn('code.folder-left', { toolCallId: context.toolCallId, message: errorMessage(error) });
  }
}

interface Hearing {
  readonly hear: (chunk: Uint8Array) => void;
  readonly state: Pick<ScriptRun, 'facts' | 'refusal' | 'output' | 'errors'>;
  readonly isBroken: () => boolean;
}

function createHearing(answerer: CallAnswerer, stop: () => void): Hearing {
  const reader = createFrameReader(maxFrameBytes);
  let hasStarted = false;
  const state: { -readonly [Key in keyof Hearing['state']]: Hearing['state'][Key] } = {
    facts: null,
    refusal: null,
    output: Buffer.alloc(0),
    errors: Buffer.alloc(0),
  };
  function take({ kind, body }: ScriptFrame): void {
    switch (kind) {
      case frameKinds.call:
        answerer.take(body);
        return;
      case frameKinds.output:
        state.output = body;
        return;
      case frameKinds.errors:
        state.errors = body;
        return;
      case frameKinds.ended:
        state.facts = readFacts(body);
        return;
      case frameKinds.started:
        hasStarted = true;
        return;
      case frameKinds.missing:
        state.refusal = { kind: 'no-python' };
        return;
      case frameKinds.outdated:
        state.refusal = { kind: 'old-python', version: body.toString('latin1', 0, 16) };
        return;
      case frameKinds.failed:
        state.refusal = { kind: 'failed', reason: body.toString('utf8', 0, 500) };
        return;
      default:
        // Something is left, or a script pretends to know more kinds than there are.
        if (!hasStarted) state.refusal ??= { kind: 'failed', reason: 'python3 does not start' };
        stop();
    }
  }
  return {
    state,
    isBroken: () => reader.isBroken,
    hear(chunk) {
      for (const frame of reader.push(chunk)) take(frame);
      if (reader.isBroken) stop();
    },
  };
}

function readFacts(body: Buffer): ScriptFacts | null {
  const parsed = parseJson(body.toString('utf8'));
  if (!parsed.ok || !isJsonObject(parsed.value)) return null;
  const facts: JsonObject = parsed.value;
  const number = (name: string): number => (typeof facts[name] === 'number' ? facts[name] : 0);
  return {
    exitCode: number('exit_code'),
    hasTimedOut: facts['timed_out'] === true,
    missingBytes: number('missing_bytes'),
    missingErrorBytes: number('missing_stderr_bytes'),
  };
}
