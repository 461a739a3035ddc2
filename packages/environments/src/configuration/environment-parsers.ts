import { systemErrorCode, TaskError } from '@talaria/core';
import { createParserRegistry, type ParserRegistry, parsers, type ToolCallParser } from '@talaria/tool-call-parsers';

/**
 * The parsers that a run chooses from: those of an environment's own, then every other that shares no name with them.
 * @throws TaskError `task.duplicate-parser` where two of the environment's own share one
 */
export function environmentParsers(own: readonly ToolCallParser[] = []): ParserRegistry {
  const taken = new Set(own.flatMap(namesOf));
  const others = parsers.filter((parser) => !namesOf(parser).some((name) => taken.has(name)));
  try {
    return createParserRegistry([...own, ...others]);
  } catch (error) {
    if (systemErrorCode(error) !== 'parser.duplicate') throw error;
    throw new TaskError('Two parsers of the environment have one name', {
      code: 'task.duplicate-parser',
      hint: 'Give each of its parsers a name and aliases of its own.',
      cause: error,
    });
  }
}

/** `-` and `_` mean the same. */
function namesOf({ name, aliases = [] }: ToolCallParser): readonly string[] {
  return [name, ...aliases].map((spelling) => spelling.replaceAll('-', '_'));
}
