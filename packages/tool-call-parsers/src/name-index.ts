import { ParserError } from './parser-errors.ts';

/** Something that is found by its name. */
export interface Named {
  readonly name: string;
  readonly aliases?: readonly string[] | undefined;
}

/** A set of things to choose from by name. Names are case-sensitive; `-` and `_` mean the same. */
export interface NameIndex<Entry extends Named> {
  /** @throws ParserError `parser.unknown` */
  get(name: string): Entry;
  /** Sorted, without aliases. */
  readonly names: readonly string[];
}

/**
 * Makes an index of these. `kind` says in errors what they are.
 * @throws ParserError `parser.duplicate` where two of them claim one name or alias
 */
export function createNameIndex<Entry extends Named>(kind: string, entries: readonly Entry[]): NameIndex<Entry> {
  const byName = new Map<string, Entry>();
  for (const entry of entries) {
    for (const name of [entry.name, ...(entry.aliases ?? [])]) {
      const other = byName.get(normalize(name));
      if (other !== undefined && other !== entry) throw duplicateName(name, other, entry);
      byName.set(normalize(name), entry);
    }
  }
  const names: readonly string[] = [...new Set(entries.map((entry) => entry.name))].sort();
  return {
    get(name) {
      const entry = byName.get(normalize(name));
      if (entry === undefined) throw unknownName(kind, name, names, [...byName.keys()]);
      return entry;
    },
    names,
  };
}

function normalize(name: string): string {
  return name.replaceAll('-', '_');
}

function duplicateName(name: string, first: Named, second: Named): ParserError {
  return new ParserError(`Two parsers claim the name "${name}": "${first.name}" and "${second.name}"`, {
    code: 'parser.duplicate',
    hint: 'Give each parser of a registry a name and aliases of its own.',
  });
}

function unknownName(kind: string, name: string, names: readonly string[], spellings: readonly string[]): ParserError {
  const nearest = nearestSpelling(normalize(name), spellings);
  const known = names.join(', ') || 'none';
  return new ParserError(`There is no ${kind} "${name}"; known are: ${known}`, {
    code: 'parser.unknown',
    hint:
      nearest === undefined
        ? 'Choose one of the names listed, or ask detectFormat with the name of the model.'
        : `Did you mean "${nearest}"?`,
  });
}

/** The spelling with the fewest edits, where they are at most a third of it. */
function nearestSpelling(name: string, spellings: readonly string[]): string | undefined {
  let best: string | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const spelling of spellings) {
    // A name of any length may be asked for; no edit count is needed to refuse a much longer one.
    if (Math.abs(spelling.length - name.length) * 3 > Math.max(spelling.length, 3)) continue;
    const edits = countEdits(name.toLowerCase(), spelling.toLowerCase());
    if (edits < fewest && edits * 3 <= Math.max(spelling.length, 3)) {
      best = spelling;
      fewest = edits;
    }
  }
  return best;
}

/** Insertions, deletions and replacements that lead from one text to the other. */
function countEdits(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (previous[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[to.length] ?? 0;
}
