import { readFileSync } from 'node:fs';
import type { ToolCallParser } from '@talaria/tool-call-parsers';

const packageJson: { readonly exports: Readonly<Record<string, unknown>> } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);

/** What users can import, by the name of the entry (`hermes` for `./hermes`, `index` for `.`). */
export const entryPoints: ReadonlyMap<string, string> = new Map(
  Object.keys(packageJson.exports)
    .filter((entry) => entry !== './package.json')
    .map((entry) => [entry.slice(2) || 'index', `@talaria/tool-call-parsers${entry.slice(1)}`]),
);

/** The entries that export formats, with their parsers, by the name of the entry. */
export async function readFormatEntries(): Promise<ReadonlyMap<string, readonly ToolCallParser[]>> {
  const entries = await Promise.all(
    [...entryPoints].map(async ([name, specifier]): Promise<[string, readonly ToolCallParser[]]> => {
      const exported: object = await import(specifier);
      return [name, Object.values(exported).filter(isToolCallParser)];
    }),
  );
  return new Map(entries.filter(([, parsers]) => parsers.length > 0));
}

function isToolCallParser(value: unknown): value is ToolCallParser {
  return typeof value === 'object' && value !== null && 'startMarkers' in value && 'stream' in value;
}
