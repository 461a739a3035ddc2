import { clipText, isAbortOf, isTalariaError, type JsonValue, openDeadline } from '@talaria/core';
import type { ToolCallContext, ToolResult } from '../tool.ts';
import { cleanPiece } from './clean-output.ts';
import { processError } from './process-error.ts';
import type { BackgroundProcess } from './process-table.ts';
import { usableTimeMs } from './usable-time.ts';

/** How long a process may take to read what is written to it: some never read. */
const writeMs = 30_000;
/** How long is waited for an answer. */
const answerMs = 200;
const answerStepMs = 20;
const maxNewOutputChars = 4_000;

/** Writes to the standard input of a process, and gives what it says at once. */
export async function writeToProcess(
  entry: BackgroundProcess,
  text: string | undefined,
  ending: string,
  context: ToolCallContext,
): Promise<JsonValue | ToolResult> {
  const { process, log } = entry;
  if (process.exit !== null) {
    return processError('not_available', `The process exited already, with code ${process.exit.exitCode}.`);
  }
  if (text === undefined && ending === '') return processError('invalid_args', 'data is needed for write.');
  await log.update(context.signal);
  log.takeNew();
  const bytes = new TextEncoder().encode((text ?? '') + ending);
  const problem = await hand(bytes, entry, context);
  if (problem !== undefined) return problem;
  const output = cleanNewOutput(await nextOutput(entry, context));
  return { status: 'ok', bytes_written: bytes.length, ...(output === '' ? {} : { output }) };
}

/** Output that the model has not seen yet, as it is shown. */
export function cleanNewOutput(text: string): string {
  return clipText(cleanPiece(text), maxNewOutputChars).text;
}

async function hand(
  bytes: Uint8Array,
  { process }: BackgroundProcess,
  context: ToolCallContext,
): Promise<ToolResult | undefined> {
  const waitMs = Math.min(writeMs, usableTimeMs(context));
  using deadline = openDeadline(context.clock, waitMs, context.signal);
  try {
    await process.write(bytes, { signal: deadline.signal });
    return undefined;
  } catch (error) {
    if (isTalariaError(error) && error.code === 'sandbox.stdin-closed') {
      return processError('not_available', 'The standard input of the process is closed.');
    }
    if (!deadline.isExpired() || !isAbortOf(error, deadline.signal)) throw error;
    const message = `The process did not read all of it within ${waitMs / 1_000} s. It may not be reading at all.`;
    return processError('timeout', message);
  }
}

/** What the process writes within the answer time, until it is quiet again. */
async function nextOutput({ log }: BackgroundProcess, { clock, signal }: ToolCallContext): Promise<string> {
  let output = '';
  for (let waitedMs = 0; waitedMs < answerMs; waitedMs += answerStepMs) {
    await clock.sleep(answerStepMs, { signal });
    await log.update(signal);
    const piece = log.takeNew();
    if (piece === '' && output !== '') break;
    output += piece;
  }
  return output;
}
