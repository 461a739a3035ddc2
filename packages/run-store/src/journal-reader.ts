import { isTalariaError, parseJson, truncateText } from '@talaria/core';
import { decodeRollout, type Rollout, rolloutSchema } from '@talaria/trajectories';
import { type FileLine, type FileLinesOptions, readFileLines } from './file-lines.ts';

/** One line of a journal file. */
export type JournalEntry =
  | { readonly kind: 'record'; readonly line: FileLine; readonly rollout: Rollout }
  | { readonly kind: 'damaged'; readonly line: FileLine; readonly reason: string }
  /** What a crash left behind the last newline: it was never reported as done. */
  | { readonly kind: 'torn'; readonly line: FileLine };

/** How every record begins, see `encodeRollout`. Inside JSON text its quotes would be escaped. */
const recordStart = `{"schema":"${rolloutSchema}"`;

/**
 * Reads a journal file. A whole record behind a half one on the same line (the file was appended to without repair) is
 * found; a record that only lacks its newline counts.
 *
 * @throws StateError `state.unknown-version` where a newer Talaria wrote a record
 */
export async function* readJournal(path: string, options: FileLinesOptions = {}): AsyncGenerator<JournalEntry> {
  for await (const line of readFileLines(path, options)) {
    if (line.text?.trim() === '') continue;
    yield readEntry(line);
  }
}

function readEntry(line: FileLine): JournalEntry {
  if (line.text === null) return damagedOrTorn(line, 'not UTF-8, or longer than any record');
  const parsed = parseJson(line.text);
  if (!parsed.ok) {
    const start = line.text.lastIndexOf(recordStart);
    const rescued = start > 0 ? parseJson(line.text.slice(start)) : parsed;
    return rescued.ok ? decodeEntry(line, rescued.value) : damagedOrTorn(line, truncateText(parsed.message, 200));
  }
  return decodeEntry(line, parsed.value);
}

function decodeEntry(line: FileLine, value: unknown): JournalEntry {
  try {
    return { kind: 'record', line, rollout: decodeRollout(value) };
  } catch (error) {
    if (!isTalariaError(error) || error.code !== 'state.invalid-record') throw error;
    return damagedOrTorn(line, error.message);
  }
}

function damagedOrTorn(line: FileLine, reason: string): JournalEntry {
  return line.isTerminated ? { kind: 'damaged', line, reason } : { kind: 'torn', line };
}
