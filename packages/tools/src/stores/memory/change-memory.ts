import type { ToolErrorKind } from '../../tool.ts';
import type { MemoryChange } from './memory-store.ts';

/** What stands between two entries where they are counted. */
const separator = '\n§\n';

/** A change that a model asks for. Texts are trimmed. */
export type MemoryRequest =
  | { readonly action: 'add'; readonly content: string }
  | { readonly action: 'replace'; readonly oldText: string; readonly content: string }
  | { readonly action: 'remove'; readonly oldText: string };

/** What became of it, with the entries as they are then. */
export type MemoryOutcome = { readonly entries: readonly string[]; readonly message: string } & (
  | { readonly kind: 'done' }
  | {
      readonly kind: 'refused';
      readonly errorKind: ToolErrorKind;
      /** How the entries begin that a text fits, where it fits several. */
      readonly matches?: readonly string[];
    }
);

/** Characters of some entries, with what stands between them. */
export function memoryChars(entries: readonly string[]): number {
  return entries.join(separator).length;
}

/** Decides what a request makes of the entries. They never take more than `limit` characters. */
export function changeMemory(
  entries: readonly string[],
  request: MemoryRequest,
  limit: number,
): MemoryChange<MemoryOutcome> {
  if (request.action === 'add') {
    if (entries.includes(request.content))
      return unchanged(entries, 'The entry exists already; it was not added again.');
    return accept(entries, [...entries, request.content], { limit, message: 'Entry added.' });
  }
  const index = findEntry(entries, request.oldText);
  if (typeof index !== 'number') return { outcome: index };
  if (request.action === 'remove') {
    return { entries: entries.toSpliced(index, 1), outcome: done(entries.toSpliced(index, 1), 'Entry removed.') };
  }
  if (entries.some((entry, other) => other !== index && entry === request.content)) {
    const message = 'Another entry says exactly that. Remove this one instead.';
    return { outcome: { kind: 'refused', errorKind: 'invalid_args', entries, message } };
  }
  return accept(entries, entries.with(index, request.content), { limit, message: 'Entry replaced.' });
}

function unchanged(entries: readonly string[], message: string): MemoryChange<MemoryOutcome> {
  return { outcome: done(entries, message) };
}

function accept(
  before: readonly string[],
  after: readonly string[],
  { limit, message }: { readonly limit: number; readonly message: string },
): MemoryChange<MemoryOutcome> {
  const chars = memoryChars(after);
  if (chars <= limit) return { entries: after, outcome: done(after, message) };
  const told = `That would take ${chars} of ${limit} characters (now ${memoryChars(before)}). Shorten it, or replace or remove other entries first.`;
  return { outcome: { kind: 'refused', errorKind: 'too_large', entries: before, message: told } };
}

/** The one entry that holds a text, or the refusal. */
function findEntry(entries: readonly string[], text: string): number | MemoryOutcome {
  const found = [...entries.keys()].filter((index) => entries[index]?.includes(text));
  const [first] = found;
  if (first === undefined) {
    const message = 'No entry holds old_text. Take a part of one of the entries, word for word.';
    return { kind: 'refused', errorKind: 'not_found', entries, message };
  }
  if (found.length === 1) return first;
  const matches = found.map((index) => previewOf(entries[index] ?? ''));
  const message = `${found.length} entries hold old_text. Take a longer part that only one of them holds.`;
  return { kind: 'refused', errorKind: 'invalid_args', entries, message, matches };
}

function previewOf(entry: string): string {
  const start = [...entry.slice(0, 160)].slice(0, 80).join('');
  return start.length < entry.length ? `${start}...` : entry;
}

function done(entries: readonly string[], message: string): MemoryOutcome {
  return { kind: 'done', entries, message };
}
