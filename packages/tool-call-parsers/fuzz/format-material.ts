import type { ParseOptions, ToolCallParser, ToolSchema } from '@talaria/tool-call-parsers';
import type { ToolCallVector } from '@talaria/tool-call-parsers/contract';
import { toolFor, toolName, toResponsesShape } from './value-schema.ts';
import { commonFragments, splitTokens } from './vector-tokens.ts';

/** What texts near a format's grammar are made of. */
export interface FormatMaterial {
  readonly parser: ToolCallParser;
  /** Texts of the format, in tokens. */
  readonly texts: readonly (readonly string[])[];
  /** The format's markers, whole and cut, what occurs in its texts, and what may occur anywhere. */
  readonly fragments: readonly string[];
  /** What the texts are read with: no tools, an empty list, those that the texts call in either shape. */
  readonly toolLists: readonly Pick<ParseOptions, 'tools'>[];
}

/** Takes the material of a format from its vectors. */
export function createFormatMaterial(parser: ToolCallParser, vectors: readonly ToolCallVector[]): FormatMaterial {
  const inputs = [...new Set(vectors.map((vector) => vector.input))].filter((text) => text !== '');
  const texts = inputs.map(splitTokens);
  const markers = parser.startMarkers.flatMap((marker) => [marker, marker.slice(0, -1), marker.slice(1)]);
  const ends = inputs.flatMap((text) => [10, 20, 40].map((length) => text.slice(-length)));
  const tools = toolsOf(vectors);
  return {
    parser,
    texts,
    fragments: [...new Set([...markers, ...texts.flat(), ...ends, ...commonFragments])].filter(Boolean),
    toolLists: [{}, { tools: [] }, { tools }, { tools: tools.map(toResponsesShape) }],
  };
}

/** The tools that the vectors declare, and one for each other name that they call. */
function toolsOf(vectors: readonly ToolCallVector[]): readonly ToolSchema[] {
  const byName = new Map<string, ToolSchema>();
  const declared = vectors.flatMap((vector) => vector.tools ?? []);
  const called = vectors.flatMap((vector) => vector.toolCalls.map((call) => toolFor(call.name, call.arguments)));
  for (const tool of [...declared, ...called]) {
    const name = toolName(tool);
    if (!byName.has(name)) byName.set(name, tool);
  }
  return [...byName.values()];
}
