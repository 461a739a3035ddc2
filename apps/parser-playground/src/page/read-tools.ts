import type { ToolSchema } from '@talaria/tool-call-parsers';

/** The tools in a text that a person wrote, or what is wrong with it. */
export type ToolsReading =
  | { readonly tools: readonly ToolSchema[] | undefined; readonly fault?: undefined }
  | { readonly tools?: undefined; readonly fault: string };

/** Reads a JSON array as a request holds it under `tools`. An empty text means no tools. */
export function readTools(text: string): ToolsReading {
  if (text.trim() === '') return { tools: undefined };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // The parser of JSON throws nothing but its message.
    return { fault: `Not JSON, and so not used: ${String(error)}` };
  }
  if (!Array.isArray(value)) return { fault: 'Not used: give an array, as a request holds it under "tools".' };
  const entries: readonly unknown[] = value;
  const wrong = entries.findIndex((entry) => !isTool(entry));
  if (wrong >= 0) return { fault: `Not used: entry ${wrong} is no function with a "name" and an object "parameters".` };
  return { tools: entries.filter(isTool) };
}

function isTool(value: unknown): value is ToolSchema {
  if (!isObject(value)) return false;
  const declared = value['function'] ?? value;
  if (!isObject(declared) || typeof declared['name'] !== 'string') return false;
  return isObject(declared['parameters'] ?? {});
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
