import type { ToolSchema } from '../tool-call-parser.ts';
import { createValueSchema, unknownValue, type ValueSchema } from './value-schema.ts';

/** What the parsers know of the tools that the model was told of. */
export interface ToolIndex {
  /** The names of a tool's declared parameters, in order; undefined for an unknown tool. */
  propertyNames(name: string): readonly string[] | undefined;
  /** What is declared of a parameter; {@link unknownValue} where nothing is. */
  parameter(name: string, key: string): ValueSchema;
}

interface KnownTools {
  /** How many tools there were. */
  readonly count: number;
  readonly schemas: ReadonlyMap<unknown, ValueSchema>;
}

/** Of each list of tools, so that many streams with the same tools share what was found out about them. */
const known: WeakMap<object, KnownTools> = /* @__PURE__ */ new WeakMap();

/** The index of a list of tools. The list is read when something is asked for, and again once it has grown. */
export function toolIndexOf(tools: readonly ToolSchema[] | undefined): ToolIndex {
  const schemaOf = (name: string): ValueSchema | undefined => {
    if (!Array.isArray(tools)) return undefined;
    const entry = known.get(tools);
    if (entry?.count === tools.length) return entry.schemas.get(name);
    known.set(tools, { count: tools.length, schemas: readTools(tools) });
    return schemaOf(name);
  };
  return {
    propertyNames: (name) => schemaOf(name)?.propertyNames,
    parameter: (name, key) => (schemaOf(name) ?? unknownValue).property(key),
  };
}

/** The schema of each tool's arguments. Tools come from users' files, so anything may stand in place of one. */
function readTools(tools: readonly unknown[]): ReadonlyMap<unknown, ValueSchema> {
  return new Map(
    tools.map((tool) => {
      const { name, parameters } = Object(Object(tool).function ?? tool);
      return [name, createValueSchema(parameters)];
    }),
  );
}
