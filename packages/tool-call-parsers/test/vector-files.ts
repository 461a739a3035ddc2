import { readFileSync } from 'node:fs';
import { listParsers } from '@talaria/tool-call-parsers';

/** The vectors of every parser, as JSON Lines by the name of the parser. */
export function readVectorFiles(
  folder: URL = new URL('vectors/tool-calls/', import.meta.url),
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    listParsers().map((name) => [name, readFileSync(new URL(`${name}.jsonl`, folder), 'utf8')]),
  );
}
