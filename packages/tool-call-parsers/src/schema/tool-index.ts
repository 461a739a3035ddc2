import type { ToolSchema } from '../tool-call-parser.ts';
import { createValueSchema, unknownValue, type ValueSchema } from './value-schema.ts';

/** What the parsers know of the tools that the model was told of. */
export interface ToolIndex {
  /** No tools were given. */
  readonly isEmpty: boolean;
  has(name: string): boolean;
  /** The names of a tool's declared parameters, in order; undefined for an unknown tool. */
  propertyNames(name: string): readonly string[] | undefined;
  /** What is declared of a parameter; {@link unknownValue} where nothing is. */
  parameter(name: string, key: string): ValueSchema;
}

const noTools: ToolIndex = createToolIndex([]);

/** One index per list of tools, so that many streams with the same tools share what was found out about them. */
const indexes = new WeakMap<readonly ToolSchema[], { readonly size: number; readonly index: ToolIndex }>();

/** The index of a list of tools. It is built when it is first asked for something, and again once the list has grown. */
export function toolIndexOf(tools: readonly ToolSchema[] | undefined): ToolIndex {
  if (!Array.isArray(tools) || tools.length === 0) return noTools;
  const known = indexes.get(tools);
  if (known?.size === tools.length) return known.index;
  const index = createToolIndex(tools);
  indexes.set(tools, { size: tools.length, index });
  return index;
}

function createToolIndex(tools: readonly unknown[]): ToolIndex {
  let schemas: ReadonlyMap<string, ValueSchema> | undefined;
  const schemaOf = (name: string): ValueSchema | undefined => {
    schemas ??= readTools(tools);
    return schemas.get(name);
  };
  return {
    isEmpty: tools.length === 0,
    has: (name) => schemaOf(name) !== undefined,
    propertyNames: (name) => schemaOf(name)?.propertyNames,
    parameter: (name, key) => (schemaOf(name) ?? unknownValue).property(key),
  };
}

/** The schema of each tool's arguments. Tools come from users' files, so anything may stand in place of one. */
function readTools(tools: readonly unknown[]): ReadonlyMap<string, ValueSchema> {
  const schemas = new Map<string, ValueSchema>();
  for (const tool of tools) {
    const { function: declared } = Object(tool);
    const { name, parameters } = Object(declared ?? tool);
    if (typeof name === 'string') schemas.set(name, createValueSchema(parameters));
  }
  return schemas;
}
