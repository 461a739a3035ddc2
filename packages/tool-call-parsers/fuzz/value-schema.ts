import type { ToolSchema } from '@talaria/tool-call-parsers';

type Schema = Readonly<Record<string, unknown>>;

/** A schema that tells the types of a JSON value, all the way down. */
export function schemaOf(value: unknown): Schema {
  if (value === null) return { type: 'null' };
  if (Array.isArray(value)) return arraySchema(value);
  if (typeof value === 'object') {
    const properties = Object.entries(value).map(([key, member]) => [key, schemaOf(member)] as const);
    return { type: 'object', properties: Object.fromEntries(properties) };
  }
  if (typeof value === 'number') return { type: Number.isInteger(value) ? 'integer' : 'number' };
  return { type: typeof value };
}

/** A tool that takes these arguments, in Chat Completions shape. */
export function toolFor(name: string, argumentsValue: unknown): ToolSchema {
  return { type: 'function', function: { name, parameters: schemaOf(argumentsValue) } };
}

/** A tool in Responses shape. */
export function toResponsesShape(tool: ToolSchema): ToolSchema {
  return 'function' in tool ? { type: 'function', ...tool.function } : tool;
}

/** The name under which a tool of either shape is called; empty for tools of other types. */
export function toolName(tool: ToolSchema): string {
  if ('function' in tool) return tool.function.name;
  return 'name' in tool ? tool.name : '';
}

function arraySchema(items: readonly unknown[]): Schema {
  const schemas = new Map(items.map((item) => [JSON.stringify(schemaOf(item)), schemaOf(item)]));
  const alternatives = [...schemas.values()];
  if (alternatives.length === 0) return { type: 'array' };
  return { type: 'array', items: alternatives.length === 1 ? alternatives[0] : { anyOf: alternatives } };
}
