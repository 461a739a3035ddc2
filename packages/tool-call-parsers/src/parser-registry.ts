import { ParserError } from './parser-errors.ts';
import type { ToolCallParser } from './tool-call-parser.ts';

/** A set of parsers to choose from by name. */
export interface ParserRegistry {
  /**
   * The parser of that name or alias. Names are case-sensitive; `-` and `_` mean the same.
   * @throws ParserError `parser.unknown`
   */
  getParser(name: string): ToolCallParser;
  /** The names, sorted, without aliases. */
  listParsers(): readonly string[];
}

/**
 * Makes a registry of exactly these parsers.
 * @throws ParserError `parser.duplicate` where two of them claim one name or alias
 */
export function createParserRegistry(parsers: readonly ToolCallParser[]): ParserRegistry {
  const byName = new Map<string, ToolCallParser>();
  for (const parser of parsers) {
    for (const name of [parser.name, ...(parser.aliases ?? [])]) {
      const other = byName.get(normalize(name));
      if (other !== undefined && other !== parser) throw duplicateName(name, other, parser);
      byName.set(normalize(name), parser);
    }
  }
  const names: readonly string[] = [...new Set(parsers.map((parser) => parser.name))].sort();
  return {
    getParser(name) {
      const parser = byName.get(normalize(name));
      if (parser === undefined) throw unknownName(name, names, [...byName.keys()]);
      return parser;
    },
    listParsers: () => names,
  };
}

function normalize(name: string): string {
  return name.replaceAll('-', '_');
}

function duplicateName(name: string, first: ToolCallParser, second: ToolCallParser): ParserError {
  return new ParserError(`Two parsers claim the name "${name}": "${first.name}" and "${second.name}"`, {
    code: 'parser.duplicate',
    hint: 'Give each parser of a registry a name and aliases of its own.',
  });
}

function unknownName(name: string, names: readonly string[], spellings: readonly string[]): ParserError {
  const nearest = nearestSpelling(normalize(name), spellings);
  const known = names.join(', ') || 'none';
  return new ParserError(`There is no tool-call parser "${name}"; known are: ${known}`, {
    code: 'parser.unknown',
    hint: nearest === undefined ? 'Choose one of the names listed.' : `Did you mean "${nearest}"?`,
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
