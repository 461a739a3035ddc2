import { createId } from '@talaria/core';
import { toolFromOptions } from '../define-tool.ts';
import { usableTimeMs } from '../terminal/usable-time.ts';
import type { Tool, ToolSettings } from '../tool.ts';
import { toolError } from '../tool-result.ts';
import { describeCode } from './describe-code.ts';
import { runScript } from './run-script.ts';
import type { ScriptJob } from './script-job.ts';
import { refusedScript, scriptResult } from './script-result.ts';

interface ExecuteCodeArguments {
  readonly code: string;
  readonly language?: 'python';
}

/** Runs a Python script in the sandbox that can call the other tools. */
export const executeCodeTool: Tool = toolFromOptions<ExecuteCodeArguments>({
  name: 'execute_code',
  toolset: 'code_execution',
  sideEffect: 'sandbox',
  // It keeps its own time.
  timeoutMs: Number.POSITIVE_INFINITY,
  description: describeCode,
  parameters: {
    type: 'object',
    properties: {
      code: { type: 'string', pattern: '\\S', description: 'The Python script; print what you want to see' },
      language: { type: 'string', enum: ['python'], default: 'python' },
    },
    required: ['code'],
  },
  async execute({ code }, context) {
    // Python before 3.11.4 leaves out what stands behind it, and says nothing.
    if (code.includes('\0')) {
      return toolError('invalid_args', 'The code holds a NUL character. Write it as \\0 in a string.');
    }
    const { settings, clock, enabledTools } = context;
    const sandbox = await context.sandbox();
    const timeoutMs = Math.min(settings.codeTimeoutMs, usableTimeMs(context), longestMs);
    const folder = `${sandbox.temporaryFolder}/talaria-${createId('code')}`;
    const startedAtMs = clock.monotonicMs();
    const run = await runScript({ ...limitsOf(settings), code, folder, enabledTools, timeoutMs }, sandbox, context);
    const durationMs = clock.monotonicMs() - startedAtMs;
    if (run.refusal !== null) return refusedScript(run.refusal, sandbox);
    return scriptResult({ run, settings, timeoutMs, durationMs });
  },
});

/** Where neither the settings nor the dispatcher limit a script. */
const longestMs = 86_400_000;
/** Bytes of output kept for each character shown: control sequences are removed first. */
const bytesPerChar = 20;
const leastBytes = 65_536;
const mostBytes = 4_194_304;

function limitsOf(
  settings: ToolSettings,
): Pick<ScriptJob, 'maxCalls' | 'limitReply' | 'maxOutputBytes' | 'maxErrorBytes'> {
  const bytesFor = (chars: number) => Math.min(Math.max(chars * bytesPerChar, leastBytes), mostBytes);
  const { maxCodeCalls } = settings;
  return {
    maxCalls: maxCodeCalls,
    limitReply: JSON.stringify({
      error: `The script has made its ${maxCodeCalls} tool calls; no more are possible in this script.`,
      error_kind: 'blocked',
    }),
    maxOutputBytes: bytesFor(settings.maxOutputChars),
    maxErrorBytes: bytesFor(settings.maxCodeStderrChars),
  };
}
