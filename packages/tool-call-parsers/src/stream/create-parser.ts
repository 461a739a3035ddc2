import { readJsonObject } from '../json/json-text.ts';
import { writeJson } from '../json/write-json.ts';
import { UnrenderableError } from '../parser-errors.ts';
import { contentEnd } from '../text/white-space.ts';
import type { RenderCall, RenderOptions, ToolCallParser } from '../tool-call-parser.ts';
import type { CallFormat, WrittenCall } from './call-format.ts';
import { foldEvents } from './fold-events.ts';
import { createStream } from './stream-engine.ts';

/** Makes the parser of a format. */
export function createParser(format: CallFormat): ToolCallParser {
  const { name, aliases, startMarkers } = format;
  const parser: ToolCallParser = {
    name,
    aliases,
    startMarkers,
    parse: (text, options) => foldEvents(createStream(format, options, text).finish()),
    stream: (options) => createStream(format, options),
    render(calls, options) {
      const text = render(format, parser, calls, options);
      if (text !== undefined) return text;
      throw new UnrenderableError(`${name} cannot hold these calls: ${calls.map((call) => `"${call.name}"`)}`, {
        code: 'parser.unrenderable',
        hint: 'Give a plain name, a JSON object and the tools.',
      });
    },
    canRender: (calls, options) => render(format, parser, calls, options) !== undefined,
  };
  return parser;
}

/** The text, or undefined where it would not be read back the same. */
function render(
  format: CallFormat,
  parser: ToolCallParser,
  calls: readonly RenderCall[],
  { content, tools }: RenderOptions = {},
): string | undefined {
  const written: WrittenCall[] = [];
  for (const { name, arguments: given, id } of calls) {
    const json = readJsonObject(typeof given === 'string' ? given : (writeJson(given) ?? ''));
    if (!json) return undefined;
    written.push({ name, arguments: json, id });
  }
  const hasCalls = calls.length > 0;
  const given = content ?? '';
  // White space between content and a call is no content, so none is written but the format's own.
  const lead = hasCalls ? given.slice(0, contentEnd(given)) : given;
  const wrapped = lead && (format.writeContent?.(lead, hasCalls) ?? lead);
  const text = [wrapped, hasCalls && format.write(written, tools)].filter(Boolean).join(format.separator);
  // What would be read back differently is never written, for whatever reason; reading is cheap.
  const read = parser.parse(text, { tools });
  return (read.content ?? '') === lead && canon(read.toolCalls) === canon(written) ? text : undefined;
}

/** The names and arguments of calls, whatever their spelling. */
function canon(calls: readonly WrittenCall[]): string {
  return JSON.stringify(calls.map((call) => [call.name, JSON.parse(call.arguments)]));
}
