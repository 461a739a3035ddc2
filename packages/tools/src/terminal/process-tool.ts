import { type JsonObject, type JsonValue, mapConcurrent, truncateText } from '@talaria/core';
import { toolFromOptions } from '../define-tool.ts';
import { describeFailure, isSandboxLost } from '../sandbox-failure.ts';
import type { Tool, ToolCallContext, ToolResult } from '../tool.ts';
import { markedResult } from '../tool-result.ts';
import { cleanPiece } from './clean-output.ts';
import { processError } from './process-error.ts';
import { type BackgroundProcess, processTable } from './process-table.ts';
import { usableTimeMs } from './usable-time.ts';
import { cleanNewOutput, writeToProcess } from './write-to-process.ts';

/** Processes that are asked at the same time. */
const maxAtOnce = 8;

interface ProcessArguments {
  readonly action: 'list' | 'poll' | 'log' | 'wait' | 'kill' | 'write' | 'submit' | 'close';
  readonly session_id?: string;
  readonly data?: string;
  readonly timeout?: number;
  readonly offset?: number;
  readonly limit?: number;
}

/** Looks after the background processes that the terminal tool started. */
export const processTool: Tool = toolFromOptions<ProcessArguments>({
  name: 'process',
  toolset: 'terminal',
  sideEffect: 'sandbox',
  timeoutMs: Number.POSITIVE_INFINITY,
  description:
    'Look after background processes: list them, poll for news, read the log, wait for the end, kill, write to standard input (submit adds a newline), close standard input.',
  parameters: {
    type: 'object',
    properties: {
      action: {
        type: 'string',
        enum: ['list', 'poll', 'log', 'wait', 'kill', 'write', 'submit', 'close'],
      },
      session_id: { type: 'string', description: 'From the terminal tool; needed by every action but list' },
      data: { type: 'string', description: 'Text for write and submit' },
      timeout: { type: 'integer', minimum: 1, description: 'Longest time to wait, in seconds' },
      offset: {
        type: 'integer',
        minimum: 0,
        description: 'First line of the log, counted from 0; without it the last lines are shown',
      },
      limit: { type: 'integer', minimum: 1, default: 200, description: 'Most lines of the log' },
    },
    required: ['action'],
  },
  async execute(args, context) {
    const table = context.state.get(processTable);
    if (args.action === 'list') {
      const describe = (entry: BackgroundProcess): Promise<JsonObject> => describeEntry(entry, context);
      return { processes: await mapConcurrent(table.entries, maxAtOnce, describe) };
    }
    const { session_id: id } = args;
    if (id === undefined || id === '') return processError('invalid_args', `session_id is needed for ${args.action}.`);
    const entry = table.get(id);
    if (entry === undefined) {
      const error = `No process with ID ${id.slice(0, 100)}. Use action=list to see those of this task.`;
      return markedResult({ status: 'not_found', error }, 'not_found');
    }
    try {
      return await actOn(entry, args, context);
    } catch (error) {
      if (context.signal.aborted || isSandboxLost(error)) throw error;
      const { kind, message } = describeFailure(error);
      return processError(kind, message);
    }
  },
});

function actOn(
  entry: BackgroundProcess,
  args: ProcessArguments,
  context: ToolCallContext,
): Promise<JsonValue | ToolResult> {
  switch (args.action) {
    case 'poll':
      return poll(entry, context);
    case 'log':
      return showLog(entry, args, context);
    case 'wait':
      return waitFor(entry, args, context);
    case 'kill':
      return kill(entry, context);
    case 'write':
      return writeToProcess(entry, args.data, '', context);
    case 'submit':
      return writeToProcess(entry, args.data, '\n', context);
    case 'close':
      return close(entry);
    default:
      return Promise.resolve(processError('invalid_args', 'Unknown action.'));
  }
}

async function describeEntry(entry: BackgroundProcess, { clock, signal }: ToolCallContext): Promise<JsonObject> {
  const { process, log } = entry;
  await log.update(signal);
  markSeen(entry);
  return {
    session_id: process.id,
    command: truncateText(process.command, 200),
    cwd: process.cwd,
    pid: process.pid,
    started_at: new Date(process.startedAt).toISOString(),
    uptime_seconds: uptimeSeconds(entry, clock.now()),
    status: statusOf(entry),
    output_preview: lastChars(log.text, 200),
    ...exitCodeOf(entry),
  };
}

async function poll(entry: BackgroundProcess, { clock, signal }: ToolCallContext): Promise<JsonObject> {
  const { process, log } = entry;
  await log.update(signal);
  markSeen(entry);
  return {
    session_id: process.id,
    command: process.command,
    status: statusOf(entry),
    pid: process.pid,
    uptime_seconds: uptimeSeconds(entry, clock.now()),
    output_preview: lastChars(log.text, 1_000),
    new_output: cleanNewOutput(log.takeNew()),
    ...exitCodeOf(entry),
  };
}

async function showLog(
  entry: BackgroundProcess,
  { offset, limit = 200 }: ProcessArguments,
  { signal }: ToolCallContext,
): Promise<JsonObject> {
  const { process, log } = entry;
  await log.update(signal);
  log.takeNew();
  markSeen(entry);
  const lines = cleanPiece(log.text).split('\n');
  if (lines.at(-1) === '') lines.pop();
  const totalLines = log.droppedLines + lines.length;
  const firstLine = Math.max(log.droppedLines, offset ?? totalLines - limit);
  const shown = lines.slice(firstLine - log.droppedLines, firstLine - log.droppedLines + limit);
  return {
    session_id: process.id,
    status: statusOf(entry),
    output: shown.join('\n'),
    total_lines: totalLines,
    showing: `${shown.length} lines`,
    first_line: firstLine,
    ...(log.isTruncated ? { buffer_truncated: true } : {}),
    ...(log.droppedBytes > 0 ? { dropped_bytes: log.droppedBytes } : {}),
    ...exitCodeOf(entry),
  };
}

async function waitFor(
  entry: BackgroundProcess,
  { timeout }: ProcessArguments,
  context: ToolCallContext,
): Promise<JsonObject> {
  const { settings, signal } = context;
  const { process, log } = entry;
  const limitMs = Math.min(settings.terminalTimeoutMs, usableTimeMs(context));
  const askedMs = (timeout ?? limitMs / 1_000) * 1_000;
  const clampNote = askedMs > limitMs ? `Waited at most ${limitMs / 1_000} s, though ${timeout} s were asked for.` : '';
  const exit = await process.wait({ timeoutMs: Math.min(askedMs, limitMs), signal });
  await log.update(signal);
  markSeen(entry);
  if (exit !== null) {
    return {
      status: 'exited',
      exit_code: exit.exitCode,
      output: lastChars(log.text, 2_000),
      ...(clampNote === '' ? {} : { timeout_note: clampNote }),
    };
  }
  return {
    status: 'timeout',
    output: lastChars(log.text, 1_000),
    timeout_note: clampNote === '' ? `Still running after ${askedMs / 1_000} s.` : clampNote,
  };
}

async function kill(entry: BackgroundProcess, { signal }: ToolCallContext): Promise<JsonObject> {
  const { process } = entry;
  if (process.exit !== null) return { status: 'already_exited', exit_code: process.exit.exitCode };
  const exit = await process.kill({ signal });
  markSeen(entry);
  return { status: 'killed', session_id: process.id, exit_code: exit.exitCode };
}

async function close(entry: BackgroundProcess): Promise<JsonObject> {
  await entry.process.closeStdin();
  return { status: 'ok' };
}

/** What the model has seen here need not be announced with the next command. */
function markSeen(entry: BackgroundProcess): void {
  if (entry.process.exit !== null) entry.isAnnounced = true;
}

function statusOf({ process }: BackgroundProcess): string {
  return process.exit === null ? 'running' : 'exited';
}

function exitCodeOf({ process }: BackgroundProcess): JsonObject {
  return process.exit === null ? {} : { exit_code: process.exit.exitCode };
}

function uptimeSeconds({ process }: BackgroundProcess, now: number): number {
  return Math.max(0, Math.round(((process.exit?.endedAt ?? now) - process.startedAt) / 1_000));
}

function lastChars(text: string, maxChars: number): string {
  const cleaned = cleanPiece(text.slice(-8 * maxChars)).trimEnd();
  const tail = cleaned.slice(-maxChars);
  const first = tail.charCodeAt(0);
  return cleaned.length > maxChars && first >= 0xdc00 && first <= 0xdfff ? tail.slice(1) : tail;
}
