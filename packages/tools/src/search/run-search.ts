import type { SandboxHandle } from '@talaria/terminal-backends';
import { searchTimeoutMs } from './search-engine.ts';

/** Longest record that is looked at. */
const maxRecordChars = 4_194_304;

/** How a search program ended. */
export interface SearchRun {
  /** `null` where it was stopped: enough was found, or its time was up. */
  readonly exitCode: number | null;
  readonly isTimedOut: boolean;
  readonly stderr: string;
}

/**
 * Runs a search program and hands over its output record by record, as it comes. Stops the program once `onRecord` says
 * that it has enough.
 */
export async function runSearch(
  words: readonly string[],
  separator: '\n' | '\0',
  onRecord: (record: string) => boolean,
  options: { readonly sandbox: SandboxHandle; readonly cwd: string; readonly signal: AbortSignal },
): Promise<SearchRun> {
  const { sandbox, cwd, signal } = options;
  const enough = new AbortController();
  const decoder = new TextDecoder();
  /** What came of a record that has not ended. */
  let pending: string[] = [];
  let pendingChars = 0;
  let isSkipping = false;
  function take(text: string): void {
    let start = 0;
    for (let end = text.indexOf(separator); end !== -1; end = text.indexOf(separator, start)) {
      pending.push(text.slice(start, end));
      if (!isSkipping && !enough.signal.aborted && onRecord(pending.join(''))) enough.abort();
      [pending, pendingChars, isSkipping] = [[], 0, false];
      start = end + 1;
    }
    if (!isSkipping) pending.push(text.slice(start));
    pendingChars += text.length - start;
    // A line of a gigabyte is no result: it is passed over rather than held.
    if (pendingChars > maxRecordChars) [pending, isSkipping] = [[], true];
  }
  const result = await sandbox.runProgram(words, {
    cwd,
    timeoutMs: searchTimeoutMs,
    mergeStderr: false,
    maxOutputBytes: 65_536,
    onOutput: (chunk) => take(decoder.decode(chunk, { stream: true })),
    signal: AbortSignal.any([signal, enough.signal]),
  });
  signal.throwIfAborted();
  const rest = pending.join('');
  if (rest !== '' && !isSkipping && !enough.signal.aborted) onRecord(rest);
  return {
    exitCode: result.kind === 'exited' ? result.exitCode : null,
    isTimedOut: result.kind === 'timed-out',
    stderr: result.stderr.trim(),
  };
}
