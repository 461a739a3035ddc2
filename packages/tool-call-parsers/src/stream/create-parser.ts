import { readJsonObject } from '../json/json-text.ts';
import { writeJson } from '../json/write-json.ts';
import { UnrenderableError } from '../parser-errors.ts';
import { createTokenTable } from '../text/token-table.ts';
import { contentEnd } from '../text/white-space.ts';
import type { RenderCall, RenderOptions, ToolCallParser } from '../tool-call-parser.ts';
import type { CallFormat, WrittenCall } from './call-format.ts';
import { foldEvents } from './fold-events.ts';
import { createStream } from './stream-engine.ts';

/** Makes the parser of a format. */
export function createParser(format: CallFormat): ToolCallParser {
  const markers = createTokenTable(format.startMarkers);
  const parser: ToolCallParser = {
    name: format.name,
    aliases: format.aliases,
    startMarkers: format.startMarkers,
    parse(text, options = {}) {
      const stream = createStream(format, markers, options);
      return foldEvents([...stream.feed(text), ...stream.finish()]);
    },
    stream(options = {}) {
      return createStream(format, markers, options);
    },
    render(calls, options = {}) {
      const text = render(format, parser, calls, options);
      if (text !== undefined) return text;
      throw new UnrenderableError(
        `These calls of ${calls.map((call) => call.name)} cannot be written as ${format.name}`,
        {
          code: 'parser.unrenderable',
          hint: 'Give JSON objects as arguments, trimmed names, and content without markup.',
        },
      );
    },
    canRender(calls, options = {}) {
      return render(format, parser, calls, options) !== undefined;
    },
  };
  return parser;
}

/** What of a call is written; its id is not. */
const namedKeys = ['name', 'arguments'] satisfies (keyof WrittenCall)[];

/** The text, or undefined where it would not be read back the same. */
function render(
  format: CallFormat,
  parser: ToolCallParser,
  calls: readonly RenderCall[],
  options: RenderOptions,
): string | undefined {
  const written: WrittenCall[] = [];
  for (const { name, arguments: given } of calls) {
    const json = readJsonObject(typeof given === 'string' ? given : (writeJson(given) ?? ''));
    if (json === undefined) return undefined;
    written.push({ name, arguments: json });
  }
  const content = options.content ?? '';
  // White space between content and a call is no content, so none is written but the format's own.
  const lead = written.length === 0 ? content : content.slice(0, contentEnd(content, 0, content.length));
  const text = [lead, format.write(written)].filter(Boolean).join(format.separator);
  // What would be read back differently is never written, for whatever reason; reading is cheap.
  const read = parser.parse(text, { tools: options.tools });
  const isSame = JSON.stringify([read.content ?? '', read.toolCalls], namedKeys) === JSON.stringify([lead, written]);
  return isSame ? text : undefined;
}
