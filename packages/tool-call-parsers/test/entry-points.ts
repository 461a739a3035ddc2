import { readFileSync } from 'node:fs';

const packageJson: { readonly exports: Readonly<Record<string, unknown>> } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);

/** What users can import, by the name of the entry (`hermes` for `./hermes`, `index` for `.`). */
export const entryPoints: ReadonlyMap<string, string> = new Map(
  Object.keys(packageJson.exports)
    .filter((entry) => entry !== './package.json')
    .map((entry) => [entry.slice(2) || 'index', `@talaria/tool-call-parsers${entry.slice(1)}`]),
);
