import type { JsonObject } from '@talaria/core';
import type { SandboxHandle } from '@talaria/terminal-backends';
import { cleanOutput, cleanPiece } from '../terminal/clean-output.ts';
import type { ToolErrorKind, ToolResult, ToolSettings } from '../tool.ts';
import { markedResult, toolError } from '../tool-result.ts';
import type { ScriptRefusal, ScriptRun } from './run-script.ts';

/** What a result is made of. */
export interface ScriptResultOptions {
  readonly run: ScriptRun;
  readonly settings: ToolSettings;
  readonly timeoutMs: number;
  readonly durationMs: number;
}

/** How a script ended, as the model sees it. */
export function scriptResult({ run, settings, timeoutMs, durationMs }: ScriptResultOptions): ToolResult {
  const verdict = verdictOf(run, timeoutMs);
  const stderr = lastChars(cleanPiece(run.errors.toString('utf8')).trimEnd(), settings.maxCodeStderrChars);
  const output = cleanOutput(run.output.toString('utf8'), {
    maxChars: settings.maxOutputChars,
    collapseCarriageReturns: settings.collapseCarriageReturns,
  });
  const isAppended = settings.appendCodeStderr && verdict.status !== 'success' && stderr !== '';
  const notes = notesOf(run);
  const content: JsonObject = {
    status: verdict.status,
    output: isAppended ? `${output}\n--- stderr ---\n${stderr}`.trimStart() : output,
    exit_code: verdict.exitCode,
    stderr,
    tool_calls_made: run.callCount,
    duration_seconds: Math.round(durationMs / 10) / 100,
    ...(verdict.error === undefined ? {} : { error: verdict.error }),
    ...(verdict.kind === null || verdict.kind === 'internal' ? {} : { error_kind: verdict.kind }),
    ...(notes.length === 0 ? {} : { notes }),
  };
  return markedResult(content, verdict.kind);
}

function notesOf({ facts }: ScriptRun): readonly string[] {
  const { missingBytes = 0, missingErrorBytes = 0 } = facts ?? {};
  return [
    ...(missingBytes === 0 ? [] : [`${missingBytes} bytes in the middle of the output were not kept`]),
    ...(missingErrorBytes === 0 ? [] : [`${missingErrorBytes} bytes at the start of stderr were not kept`]),
  ];
}

/** Why a script could not be run. */
export function refusedScript(refusal: ScriptRefusal, { kind, capabilities }: SandboxHandle): ToolResult {
  const place = capabilities.images ? `the image of this ${kind} sandbox` : `the machine of this ${kind} sandbox`;
  const advice = 'Do it without execute_code.';
  switch (refusal.kind) {
    case 'no-python':
      return toolError('not_available', `There is no python3 in ${place}. ${advice}`);
    case 'old-python':
      return toolError(
        'not_available',
        `The python3 in ${place} is of version ${refusal.version}; 3.7 or later is needed. ${advice}`,
      );
    case 'failed':
      return toolError('not_available', `The script could not be started in ${place}: ${refusal.reason}. ${advice}`);
  }
}

interface Verdict {
  readonly status: 'success' | 'error' | 'timeout' | 'interrupted';
  readonly exitCode: number;
  readonly error?: string;
  readonly kind: ToolErrorKind | null;
}

function verdictOf({ facts, result, isBroken, wasStopped }: ScriptRun, timeoutMs: number): Verdict {
  if (facts?.hasTimedOut || result.kind === 'timed-out') {
    const error = `The script was stopped after ${timeoutMs / 1_000} s, with all that it had started. Do less in one script.`;
    return { status: 'timeout', exitCode: 124, error, kind: 'timeout' };
  }
  if (facts !== null) {
    const { exitCode } = facts;
    if (exitCode === 0) return { status: 'success', exitCode, kind: null };
    return { status: 'error', exitCode, error: `The script ended with exit code ${exitCode}.`, kind: 'internal' };
  }
  if (isBroken) {
    const error = 'The script disturbed the program that looks after it, and was stopped. Leave other processes alone.';
    return { status: 'error', exitCode: 137, error, kind: 'internal' };
  }
  if (result.kind === 'exited' || wasStopped) {
    const error =
      'The program that looks after the script was ended, and its output is lost. Leave its processes alone.';
    return { status: 'error', exitCode: 137, error, kind: 'internal' };
  }
  const error = 'The script was interrupted before it ended.';
  return { status: 'interrupted', exitCode: 130, error, kind: 'interrupted' };
}

/** The end of a text, where what matters stands, with a line that says what is missing. */
function lastChars(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const start = text.length - maxChars;
  const isInsidePair = (text.charCodeAt(start) & 0xfc00) === 0xdc00;
  const from = isInsidePair ? start + 1 : start;
  return `... [${from} of ${text.length} characters omitted] ...\n${text.slice(from)}`;
}
