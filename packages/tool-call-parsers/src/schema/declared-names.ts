import type { ToolSchema } from '../tool-call-parser.ts';

/** Makes the test whether a tool of a name was declared. Where no tools were given, all were. */
export function declaredNames(tools: readonly ToolSchema[] | undefined): (name: string) => boolean {
  let names: ReadonlySet<unknown> | undefined;
  return (name) => {
    names ??= new Set(Array.isArray(tools) ? tools.map(nameOf) : []);
    return !names.size || names.has(name);
  };
}

/** Tools come from users' files, so anything may stand in place of one. */
function nameOf(tool: unknown): unknown {
  return Object(Object(tool).function ?? tool).name;
}
