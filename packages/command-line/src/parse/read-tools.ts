import { resolve } from 'node:path';
import { ConfigError, errorMessage, isJsonObject, type JsonValue, parseJson } from '@talaria/core';
import type { ToolSchema } from '@talaria/tool-call-parsers';
import type { Host } from '../host.ts';
import { readStart } from '../read-start.ts';
import { expandHome } from '../state-folder.ts';

/** Largest file of tools. */
const maxBytes = 16 * 1024 * 1024;

/**
 * Reads the tools that the model was told of: a JSON array as a request holds it under `tools`, in the shape of Chat
 * Completions or of Responses.
 * @throws ConfigError `config.unreadable-file`, or `config.bad-tools` that names the entry and the field
 */
export async function readTools(host: Host, path: string): Promise<readonly ToolSchema[]> {
  const fileName = resolve(host.cwd, expandHome(path, host.homeFolder));
  const result = parseJson(await readToolFile(fileName));
  if (!result.ok) throw badTools(fileName, `is no JSON: ${result.message}`);
  const { value } = result;
  if (!Array.isArray(value)) throw badTools(fileName, `holds ${describe(value)}, not an array of tools`);
  const entries: readonly JsonValue[] = value;
  return entries.map((entry, index) => {
    const tool = parseTool(entry, `tools[${index}]`);
    if (typeof tool === 'string') throw badTools(fileName, tool);
    return tool;
  });
}

async function readToolFile(fileName: string): Promise<string> {
  const text = await readStart(fileName, maxBytes + 1).catch((error: unknown) => {
    throw new ConfigError(`Cannot read the tools in ${fileName}: ${errorMessage(error)}`, {
      code: 'config.unreadable-file',
      hint: 'Check the path after --tools; it is taken relative to the folder in which you are.',
      cause: error,
    });
  });
  if (text.length > maxBytes) throw badTools(fileName, 'is larger than 16 MiB');
  // Editors on Windows put the mark there.
  return text.replace(/^\uFEFF/u, '');
}

/** The tool, or what is wrong with it. */
function parseTool(entry: JsonValue, place: string): ToolSchema | string {
  if (!isJsonObject(entry)) return `holds ${describe(entry)} as ${place}, not an object`;
  const { type = 'function', function: inner } = entry;
  if (type !== 'function')
    return `has the type ${describe(type)} in ${place}; a model calls only functions by its text`;
  if (inner === undefined) return parseFunction(entry, place);
  if (!isJsonObject(inner)) return `has ${describe(inner)} as ${place}.function, not an object`;
  const parsed = parseFunction(inner, `${place}.function`);
  return typeof parsed === 'string' ? parsed : { function: parsed };
}

/** What both shapes have in common. */
interface FunctionSchema {
  readonly name: string;
  readonly parameters: Readonly<Record<string, unknown>> | null;
}

function parseFunction({ name, parameters = null }: JsonRecord, place: string): FunctionSchema | string {
  if (typeof name !== 'string' || name === '') return `has ${describe(name)} as ${place}.name, not a name`;
  if (parameters === null || isJsonObject(parameters)) return { name, parameters };
  return `has ${describe(parameters)} as ${place}.parameters, not a JSON schema`;
}

type JsonRecord = Readonly<Record<string, JsonValue | undefined>>;

function describe(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  return isJsonObject(value) ? 'an object' : JSON.stringify(value).slice(0, 80);
}

function badTools(fileName: string, what: string): ConfigError {
  return new ConfigError(`${fileName} ${what}`, {
    code: 'config.bad-tools',
    hint: 'Give the array that a request holds under "tools": [{"type": "function", "function": {"name": …, "parameters": {…}}}].',
  });
}
