import { readJsonObject } from '../json/json-text.ts';
import { writeJson } from '../json/write-json.ts';
import { UnrenderableError } from '../parser-errors.ts';
import { TokenTable } from '../text/token-table.ts';
import { contentEnd } from '../text/white-space.ts';
import type { RenderCall, RenderOptions, ToolCallParser } from '../tool-call-parser.ts';
import type { CallFormat, WrittenCall } from './call-format.ts';
import { foldEvents } from './fold-events.ts';
import { StreamEngine } from './stream-engine.ts';

/** Makes the parser of a format. */
export function createParser(format: CallFormat): ToolCallParser {
  const markers = new TokenTable(format.startMarkers);
  const parser: ToolCallParser = {
    name: format.name,
    aliases: format.aliases,
    startMarkers: format.startMarkers,
    parse(text, options = {}) {
      const stream = new StreamEngine(format, markers, { ...options, commit: 'call' });
      return foldEvents([...stream.feed(text), ...stream.finish()]);
    },
    stream(options = {}) {
      return new StreamEngine(format, markers, options);
    },
    render(calls, options = {}) {
      const rendering = render(format, parser, calls, options);
      if (typeof rendering === 'string') return rendering;
      throw rendering;
    },
    canRender(calls, options = {}) {
      return typeof render(format, parser, calls, options) === 'string';
    },
  };
  return parser;
}

/** A refusal, or the text. */
type Rendering = UnrenderableError | string;

function render(
  format: CallFormat,
  parser: ToolCallParser,
  calls: readonly RenderCall[],
  options: RenderOptions,
): Rendering {
  const written: WrittenCall[] = [];
  for (const { name, arguments: given } of calls) {
    const json = readJsonObject(typeof given === 'string' ? given : (writeJson(given) ?? ''));
    if (json === undefined) return refuse(format, `the arguments of ${JSON.stringify(name)}`, 'Give one JSON object.');
    written.push({ name, arguments: json });
  }
  const content = options.content ?? '';
  // White space between content and a call is no content, so none is written but the format's own.
  const lead = written.length === 0 ? content : content.slice(0, contentEnd(content, 0, content.length));
  const text = [lead, format.write(written)].filter((part) => part !== '').join(format.contentSeparator);
  // What would be read back differently is never written, for whatever reason; reading is cheap.
  const read = parser.parse(text, { tools: options.tools });
  const lost = written.find(({ name, arguments: json }, index) => {
    return read.toolCalls[index]?.name !== name || read.toolCalls[index].arguments !== json;
  });
  if (lost !== undefined) {
    return refuse(
      format,
      `the call of ${JSON.stringify(lost.name)}`,
      'Trim its name, and take calls out of the content.',
    );
  }
  if (read.toolCalls.length === written.length && (read.content ?? '') === lead) return text;
  return refuse(format, 'this content', 'Take calls and end-of-turn tokens out of it.');
}

function refuse(format: CallFormat, what: string, hint: string): UnrenderableError {
  return new UnrenderableError(`The format ${format.name} cannot hold ${what}: it would be read back differently`, {
    hint,
  });
}
