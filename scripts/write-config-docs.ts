// Writes the tables of settings, flags and providers, and the names of the parsers, into the documents,
// from the code that decides them; `--check` fails where a document shows others. Run it with
// `node --conditions=@talaria/source`.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { terminalTest } from '../packages/benchmarks/src/index.ts';
import { expectedText, type FieldDescription, listLeafFields } from '../packages/config/src/index.ts';
import {
  settingsOfEnvironments,
  settingsOfLater,
} from '../packages/environments/src/configuration/settings-without-effect.ts';
import { describeRunConfig, runFlagAliases } from '../packages/environments/src/index.ts';
import { providers } from '../packages/model-client/src/index.ts';
import { parsers } from '../packages/tool-call-parsers/src/index.ts';

const withoutEffect: ReadonlySet<string> = new Set([...settingsOfLater, ...settingsOfEnvironments]);

/** Words that occur everywhere, so that looking for them in the sources tells nothing. */
const commonWords: ReadonlySet<string> = new Set(['testing', 'proxy_url', 'use_wandb', 'wandb_name']);

/** Fails where a setting is listed as one without effect and the sources use it, or the other way round. */
function checkEffects(fields: readonly FieldDescription[]): void {
  const text = globSync('packages/*/src/**/*.ts')
    .filter((file) => !/\.test(-d)?\.ts$|environments\/src\/configuration|benchmarks\/src/.test(file))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  const linked = new Set(['env.terminal_backend', 'env.terminal_timeout', 'env.terminal_lifetime']);
  const faults = listLeafFields(fields).flatMap(({ path, name }) => {
    if (commonWords.has(name) || linked.has(path)) return [];
    const isUsed = new RegExp(`\\b${name}\\b`).test(text);
    return isUsed === withoutEffect.has(path) ? [`${path} is ${isUsed ? 'used' : 'used nowhere'}`] : [];
  });
  const known = new Set(listLeafFields(fields).map(({ path }) => path));
  for (const path of withoutEffect) if (!known.has(path)) faults.push(`${path} is no setting`);
  if (faults.length > 0) throw new Error(`The list of settings without effect is wrong: ${faults.join('; ')}`);
}

/** A table whose columns are as wide as the formatter makes them. */
function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = titles.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const cells = [titles, widths.map((width) => '-'.repeat(width)), ...rows];
  return cells
    .map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`)
    .join('\n');
}

function code(text: string): string {
  return `\`${text}\``;
}

/** Flags that stand for a setting, with the command where only one has them. */
function friendlyFlags(path: string): string {
  const [run, evaluate] = [runFlagAliases('process'), runFlagAliases('evaluate')];
  const names = [...new Set([...Object.keys(run), ...Object.keys(evaluate)])].sort();
  const flags = names.flatMap((name) => {
    if (run[name] === path && evaluate[name] === path) return [code(name)];
    if (run[name] === path) return [`${code(name)} (run)`];
    return evaluate[name] === path ? [`${code(name)} (eval)`] : [];
  });
  return flags.join(', ');
}

function settingsTable(fields: readonly FieldDescription[]): string {
  const rows = listLeafFields(fields).map((field) => {
    const { defaultValue: value } = field;
    const shown = value === undefined || value === null ? 'null' : code(JSON.stringify(value));
    const mark = withoutEffect.has(field.path) ? ' ○' : '';
    const takes = field.type === 'list' ? `a list${field.isNullable ? ' or null' : ''}` : expectedText(field);
    return [`${code(field.name)}${mark}`, takes, shown, field.description, friendlyFlags(field.path)];
  });
  return table(['key', 'takes', 'default', 'meaning', 'short flag'], rows);
}

function providersTable(): string {
  const rows = providers.map(({ prefix, title, baseUrl, apiKeyVariable, startCommand }) => [
    code(`${prefix}/…`),
    title,
    code(baseUrl),
    apiKeyVariable === null ? 'none' : code(apiKeyVariable),
    startCommand === undefined ? '' : code(startCommand),
  ]);
  return table(['model name', 'server', 'address', 'key', 'started by'], rows);
}

/** The names of the parsers, each with its other names, in lines as long as those of the documents. */
function parsersText(): string {
  const names = [...parsers]
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .map(({ name, aliases = [] }) => {
      const others = aliases.length === 0 ? '' : ` (${aliases.map(code).join(', ')})`;
      return `${code(name)}${others}`;
    });
  const words = `${names.join(', ')}.`.split(' ');
  const lines = [''];
  for (const word of words) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + word.length >= lineLength) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join('\n');
}

const lineLength = 120;

/** Puts a table between the marks that a document holds for it. */
function insert(text: string, name: string, content: string): string {
  const start = `<!-- ${name}: written by scripts/write-config-docs.ts -->`;
  const end = `<!-- end of ${name} -->`;
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`No place for the table "${name}": it needs ${start} and ${end}`);
  return `${text.slice(0, from)}${start}\n\n${content}\n\n${text.slice(to)}`;
}

/** The tables of a section: its own settings, then those of each section inside it. */
function sectionTables(section: FieldDescription): readonly (readonly [name: string, content: string])[] {
  const isSection = (field: FieldDescription): boolean => field.fields.length > 0;
  const own = section.fields.filter((field) => !isSection(field));
  return [[section.path, settingsTable(own)], ...section.fields.filter(isSection).flatMap(sectionTables)];
}

const fields = describeRunConfig(terminalTest);
const topFields = fields.filter((field) => field.fields.length === 0);
const sections = fields.filter((field) => field.fields.length > 0);
checkEffects(fields);

const documents: Readonly<Record<string, readonly (readonly [name: string, content: string])[]>> = {
  'docs/configuration.md': [
    ...sections.flatMap(sectionTables),
    ['top', settingsTable(topFields)],
    ['parsers', parsersText()],
  ],
  'docs/models.md': [['providers', providersTable()]],
};

for (const [file, tables] of Object.entries(documents)) {
  const before = readFileSync(file, 'utf8');
  const after = tables.reduce((text, [name, content]) => insert(text, name, content), before);
  if (after === before) continue;
  if (process.argv.includes('--check')) {
    console.error(`${file} shows other tables than the code: run node --conditions=@talaria/source ${process.argv[1]}`);
    process.exitCode = 1;
  } else writeFileSync(file, after);
}
