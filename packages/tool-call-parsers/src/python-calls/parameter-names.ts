import type { ToolSchema } from '../tool-call-parser.ts';

/** The names of a tool's parameters, in the order in which they are declared; empty for an unknown tool. */
export function parameterNames(tools: readonly ToolSchema[] | undefined, name: string): readonly string[] {
  // Tools come from users' files, so anything may stand in place of one.
  const declared = Array.isArray(tools) ? tools.map((tool) => Object(Object(tool).function ?? tool)) : [];
  const { properties } = Object(declared.findLast((tool) => tool.name === name)?.parameters);
  return Object.keys(Object(properties));
}
