// Writes the reference of the tools, and the tables of toolsets and distributions, into docs/tools.md from the definitions;
// `--check` fails where the document shows others. Run it with `node --conditions=@talaria/source`.
import { readFileSync, writeFileSync } from 'node:fs';
import { isJsonObject, type JsonValue } from '../packages/core/src/index.ts';
import { createBrowserTools } from '../packages/tools/src/browser/index.ts';
import { builtinDistributions } from '../packages/tools/src/distributions/builtin-distributions.ts';
import { builtinTools, builtinToolsets, createBuiltinRegistry, type Tool } from '../packages/tools/src/index.ts';
import { createModelTools } from '../packages/tools/src/models/index.ts';
import { createStoreTools } from '../packages/tools/src/stores/index.ts';
import { createUrlPolicy, createWebTools } from '../packages/tools/src/web/index.ts';
import { toolResults } from './tool-results.ts';

const document = 'docs/tools.md';

/** Where a tool comes from that is not in every registry, and what an app has to give it. */
const sources: readonly (readonly [needs: string, tools: readonly Tool[]])[] = [
  ['', builtinTools],
  ['`createWebTools` of `@talaria/tools/web`; needs a provider', createWebTools({ policy: createUrlPolicy() })],
  ['`createBrowserTools` of `@talaria/tools/browser`; needs a driver', createBrowserTools({ driver: null })],
  ['`createModelTools` of `@talaria/tools/models`; needs a model', createModelTools()],
  ['`createStoreTools` of `@talaria/tools/stores`; needs a store', createStoreTools({ tenant: 'documents' })],
];

const tools = sources.flatMap(([, list]) => list);
const names: ReadonlySet<string> = new Set(tools.map(nameOf));
const registry = createBuiltinRegistry(tools);

function nameOf(tool: Tool): string {
  return tool.definition.function.name;
}

function code(text: string): string {
  return `\`${text}\``;
}

/** A table whose columns are as wide as the formatter makes them. */
function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const escaped = rows.map((row) => row.map((cell) => cell.replaceAll(/(?<!\\)\|/g, '\\|').replaceAll('\n', ' ')));
  const widths = titles.map((title, column) =>
    Math.max(title.length, ...escaped.map((row) => row[column]?.length ?? 0)),
  );
  return [titles, widths.map((width) => '-'.repeat(width)), ...escaped]
    .map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`)
    .join('\n');
}

/** Keywords of a schema in words, in this order. */
const limits: readonly (readonly [keyword: string, word: string])[] = [
  ['minimum', 'at least'],
  ['maximum', 'at most'],
  ['minItems', 'entries at least'],
  ['maxItems', 'entries at most'],
  ['maxLength', 'characters at most'],
];

function limitsText(schema: Readonly<Record<string, JsonValue | undefined>>): string {
  const choices = Array.isArray(schema['enum']) ? [schema['enum'].map((value) => code(String(value))).join(', ')] : [];
  const said = limits.flatMap(([keyword, word]) => {
    const value = schema[keyword];
    return typeof value === 'number' ? [`${word} ${value.toLocaleString('en-US')}`] : [];
  });
  const isNotEmpty = schema['minLength'] === 1 || schema['pattern'] === '\\S';
  return [...choices, ...said, ...(isNotEmpty ? ['not empty'] : [])].join('; ');
}

function typeText(schema: Readonly<Record<string, JsonValue | undefined>>): string {
  const { type, items } = schema;
  if (type === 'array' && isJsonObject(items)) return `list of ${typeText(items)}s`;
  return Array.isArray(type) ? type.join(' or ') : typeof type === 'string' ? type : 'any';
}

function parametersTable(tool: Tool): string {
  const { parameters = {} } = tool.definition.function;
  const properties = isJsonObject(parameters['properties']) ? Object.entries(parameters['properties']) : [];
  const required: readonly JsonValue[] = Array.isArray(parameters['required']) ? parameters['required'] : [];
  if (properties.length === 0) return 'No parameters.';
  const rows = properties.map(([name, value]) => {
    const schema = isJsonObject(value) ? value : {};
    const fallback = schema['default'];
    return [
      required.includes(name) ? `**${code(name)}**` : code(name),
      typeText(schema),
      fallback === undefined ? '' : code(JSON.stringify(fallback)),
      limitsText(schema),
      typeof schema['description'] === 'string' ? schema['description'] : '',
    ];
  });
  return table(['parameter (required ones bold)', 'type', 'default', 'limits', 'what the model is told'], rows);
}

const sideEffects: Readonly<Record<Tool['sideEffect'], string>> = {
  none: 'changes nothing',
  sandbox: 'changes the sandbox',
  host: 'changes what the host keeps',
  external: 'reaches other machines or people',
};

function toolSection(tool: Tool, needs: string): string {
  const name = nameOf(tool);
  const result = toolResults[name];
  if (result === undefined) throw new Error(`scripts/tool-results.ts says nothing of ${name}`);
  const description = tool.describe?.(names) ?? tool.definition.function.description ?? '';
  const facts = [
    `Side effect: ${code(tool.sideEffect)} (${sideEffects[tool.sideEffect]})`,
    tool.isParallelSafe ? 'runs beside other such calls of a turn' : 'runs alone',
    ...(needs === '' ? [] : [needs]),
  ];
  return [
    `#### ${code(name)}`,
    description.replaceAll(/^/gm, '> '),
    parametersTable(tool),
    `Result: ${result}.`,
    `${facts.join('; ')}.`,
  ].join('\n\n');
}

function reference(): string {
  for (const name of Object.keys(toolResults)) {
    if (!names.has(name)) throw new Error(`scripts/tool-results.ts tells of ${name}, which is no tool`);
  }
  const entries = sources.flatMap(([needs, list]) => list.map((tool) => ({ tool, needs })));
  const groups = Map.groupBy(entries, ({ tool }) => tool.toolset);
  return [...groups]
    .map(([toolset, members]) => {
      const description = builtinToolsets.find(({ name }) => name === toolset)?.description;
      const sections = members.map(({ tool, needs }) => toolSection(tool, needs));
      return [`### Toolset ${code(toolset)}`, `${description}.`, ...sections].join('\n\n');
    })
    .join('\n\n');
}

function overviewTable(): string {
  const rows = tools.map((tool) => {
    const name = nameOf(tool);
    return [`[${code(name)}](#${name})`, code(tool.toolset), tool.isParallelSafe ? 'yes' : 'no', code(tool.sideEffect)];
  });
  return table(['tool', 'toolset', 'beside others', 'side effect'], rows);
}

/** Without the sets of whole products, which hold nearly everything. */
function toolsetsTable(): string {
  const shown = builtinToolsets.filter(({ name }) => !/^hermes-|^talaria-/.test(name));
  const rows = shown.map(({ name, description }) => {
    const members = registry.resolveToolset(name).map(code).join(', ');
    return [code(name), description, members === '' ? 'none in this version' : members];
  });
  return table(['toolset', 'for', 'tools of this version'], rows);
}

function distributionsTable(): string {
  const rows = builtinDistributions.map(({ name, description, toolsets }) => {
    const drawn = Object.entries(toolsets).map(([toolset, percent]) => `${code(toolset)} ${percent} %`);
    return [code(name), description, drawn.join(', ')];
  });
  return table(['distribution', 'for', 'each toolset with its chance'], rows);
}

/** Puts a part between the marks that the document holds for it. */
function insert(text: string, name: string, content: string): string {
  const start = `<!-- ${name}: written by scripts/write-tool-docs.ts -->`;
  const end = `<!-- end of ${name} -->`;
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${document} has no place for "${name}": it needs ${start} and ${end}`);
  return `${text.slice(0, from)}${start}\n\n${content}\n\n${text.slice(to)}`;
}

const before = readFileSync(document, 'utf8');
const parts: readonly (readonly [name: string, content: string])[] = [
  ['overview', overviewTable()],
  ['reference', reference()],
  ['toolsets', toolsetsTable()],
  ['distributions', distributionsTable()],
];
const after = parts.reduce((text, [name, content]) => insert(text, name, content), before);
if (after !== before) {
  if (process.argv.includes('--check')) {
    throw new Error(
      `${document} shows other tools than the code: node --conditions=@talaria/source ${process.argv[1]}`,
    );
  }
  writeFileSync(document, after);
}
