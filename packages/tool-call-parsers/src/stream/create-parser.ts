import { readJsonObject } from '../json/json-text.ts';
import { NotJsonError, writeJson } from '../json/write-json.ts';
import { UnrenderableError } from '../parser-errors.ts';
import { contentEnd } from '../text/white-space.ts';
import type { ParseResult, RenderCall, RenderOptions, ToolCallParser } from '../tool-call-parser.ts';
import type { CallFormat, WrittenCall } from './call-format.ts';
import { foldEvents } from './fold-events.ts';
import { createTextTokens, StreamEngine } from './stream-engine.ts';

/** Makes the parser of a format. */
export function createParser(format: CallFormat): ToolCallParser {
  const tokens = createTextTokens(format);
  const parser: ToolCallParser = {
    name: format.name,
    aliases: format.aliases,
    startMarkers: format.startMarkers,
    parse(text, options = {}) {
      const stream = new StreamEngine(format, tokens, { ...options, commit: 'call' });
      return foldEvents([...stream.feed(text), ...stream.finish()]);
    },
    stream(options = {}) {
      return new StreamEngine(format, tokens, options);
    },
    render(calls, options = {}) {
      const rendering = render(format, parser, calls, options);
      if (rendering.kind === 'text') return rendering.text;
      throw new UnrenderableError(`The format ${format.name} cannot hold ${rendering.what}`, { hint: rendering.hint });
    },
    canRender(calls, options = {}) {
      return render(format, parser, calls, options).kind === 'text';
    },
  };
  return parser;
}

type Rendering =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'refused'; readonly what: string; readonly hint: string };

function render(
  format: CallFormat,
  parser: ToolCallParser,
  calls: readonly RenderCall[],
  options: RenderOptions,
): Rendering {
  const written: WrittenCall[] = [];
  for (const call of calls) {
    const text = argumentsText(call);
    if (text.kind === 'refused') return text;
    written.push({ name: call.name, arguments: text.text });
  }
  const content = options.content ?? '';
  // White space between content and a call is no content, so none is written but the format's own.
  const lead = written.length === 0 ? content : content.slice(0, contentEnd(content, 0, content.length));
  const text = [lead, format.write(written)].filter((part) => part !== '').join(format.contentSeparator);
  // What would be read back differently is never written, for whatever reason; reading is cheap.
  return explainDifference(parser.parse(text, { tools: options.tools }), written, lead) ?? { kind: 'text', text };
}

function argumentsText(call: RenderCall): Rendering {
  const what = `the arguments of the call of ${JSON.stringify(call.name)}`;
  if (typeof call.arguments === 'string') {
    const json = readJsonObject(call.arguments);
    if (json !== undefined) return { kind: 'text', text: json };
    return { kind: 'refused', what, hint: 'Give the arguments as an object or as the text of one JSON object.' };
  }
  try {
    return { kind: 'text', text: writeJson(call.arguments) };
  } catch (error) {
    if (!(error instanceof NotJsonError)) throw error;
    return { kind: 'refused', what: `${what}: ${error.message}`, hint: 'Use JSON values only.' };
  }
}

function explainDifference(read: ParseResult, written: readonly WrittenCall[], lead: string): Rendering | undefined {
  for (const [index, call] of written.entries()) {
    const found = read.toolCalls[index];
    if (found?.name === call.name && found.arguments === call.arguments) continue;
    const what = `the call of ${JSON.stringify(call.name)}: it would be read back differently`;
    return {
      kind: 'refused',
      what,
      hint: 'Give the call a name without white space at its ends, and content without tool calls.',
    };
  }
  if (read.toolCalls.length === written.length && (read.content ?? '') === lead) return undefined;
  const what = 'this content: it would be read back differently';
  return { kind: 'refused', what, hint: 'Take end-of-turn tokens and the markup of tool calls out of the content.' };
}
