import { readJsonObject } from '../json/json-text.ts';
import { writeJson } from '../json/write-json.ts';
import { UnrenderableError } from '../parser-errors.ts';
import { contentEnd } from '../text/white-space.ts';
import type { ParseResult, RenderCall, RenderOptions, ToolCallParser } from '../tool-call-parser.ts';
import type { CallFormat, WrittenCall } from './call-format.ts';
import { foldEvents } from './fold-events.ts';
import { createStream } from './stream-engine.ts';

/** Makes the parser of a format. */
export function createParser(format: CallFormat): ToolCallParser {
  const parser: ToolCallParser = {
    name: format.name,
    aliases: format.aliases,
    startMarkers: format.startMarkers,
    parse: (text, options = {}) => foldEvents(createStream(format, options).readAll(text)),
    stream: (options = {}) => {
      const { feed, finish } = createStream(format, options);
      return { feed, finish };
    },
    render(calls, options = {}) {
      const text = render(format, parser, calls, options);
      if (text !== undefined) return text;
      throw new UnrenderableError(
        `These calls of ${calls.map((call) => call.name)} cannot be written as ${format.name}`,
        {
          code: 'parser.unrenderable',
          hint: 'Give JSON objects as arguments, trimmed names, content without markup, and the tools that declare the parameters.',
        },
      );
    },
    canRender(calls, options = {}) {
      return render(format, parser, calls, options) !== undefined;
    },
  };
  return parser;
}

/** The text, or undefined where it would not be read back the same. */
function render(
  format: CallFormat,
  parser: ToolCallParser,
  calls: readonly RenderCall[],
  options: RenderOptions,
): string | undefined {
  const written: WrittenCall[] = [];
  for (const { name, arguments: given, id } of calls) {
    const json = readJsonObject(typeof given === 'string' ? given : (writeJson(given) ?? ''));
    if (json === undefined) return undefined;
    written.push({ name, arguments: json, id });
  }
  const content = options.content ?? '';
  const hasCalls = written.length > 0;
  // White space between content and a call is no content, so none is written but the format's own.
  const lead = hasCalls ? content.slice(0, contentEnd(content, 0, content.length)) : content;
  const wrapped = lead && format.writeContent ? format.writeContent(lead, hasCalls) : lead;
  const text = [wrapped, hasCalls && format.write(written, options.tools)].filter(Boolean).join(format.separator);
  // What would be read back differently is never written, for whatever reason; reading is cheap.
  return isReadBack(parser.parse(text, { tools: options.tools }), lead, written) ? text : undefined;
}

function isReadBack({ content, toolCalls }: ParseResult, lead: string, written: readonly WrittenCall[]): boolean {
  const isSame = (call: WrittenCall, index: number): boolean => {
    const read = toolCalls[index];
    return (
      read?.name === call.name && (read.arguments === call.arguments || canon(read.arguments) === canon(call.arguments))
    );
  };
  return (content ?? '') === lead && toolCalls.length === written.length && written.every(isSame);
}

function canon(json: string): string {
  return JSON.stringify(JSON.parse(json));
}
