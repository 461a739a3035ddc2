import { readdirSync, readFileSync } from 'node:fs';
import { getParser, listParsers, type ToolCallParser } from '@talaria/tool-call-parsers';
import { readToolCallVectors, type ToolCallVector } from '@talaria/tool-call-parsers/contract';

/** A registered format, and the texts that show what it reads. */
export interface TestedFormat {
  readonly name: string;
  readonly parser: ToolCallParser;
  /** The vectors of its own file, and of each file that is named like one of its aliases. */
  readonly vectors: readonly ToolCallVector[];
}

const folder = new URL('vectors/tool-calls/', import.meta.url);

/** The names of the vector files: one for each format, and for some aliases. */
export const vectorFileNames: readonly string[] = readdirSync(folder)
  .filter((file) => file.endsWith('.jsonl'))
  .map((file) => file.slice(0, -'.jsonl'.length))
  .sort();

/** The vectors of one file. */
export function readVectorFile(name: string): readonly ToolCallVector[] {
  return readToolCallVectors(readFileSync(new URL(`${name}.jsonl`, folder), 'utf8'), `${name}.jsonl`);
}

/** The names and aliases by which the registry knows a parser. */
export function spellings(parser: ToolCallParser): readonly string[] {
  return [parser.name, ...(parser.aliases ?? [])];
}

/** The vector files of a parser. `-` and `_` mean the same. */
export function vectorFilesOf(parser: ToolCallParser): readonly string[] {
  const known = new Set(spellings(parser).map(withUnderscores));
  return vectorFileNames.filter((file) => known.has(withUnderscores(file)));
}

/** Every registered format. A format is tested as soon as it is registered. */
export const testedFormats: readonly TestedFormat[] = listParsers().map((name) => {
  const parser = getParser(name);
  return { name, parser, vectors: vectorFilesOf(parser).flatMap(readVectorFile) };
});

function withUnderscores(name: string): string {
  return name.replaceAll('-', '_');
}
