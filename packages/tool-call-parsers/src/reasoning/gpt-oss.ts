import { createTokenTable, type TokenTable } from '../text/token-table.ts';
import { skipWhiteSpace } from '../text/white-space.ts';
import { assembleReasoningParser, type ReasoningReader } from './assemble-reasoning-parser.ts';
import type { ReasoningEvent, ReasoningOptions, ReasoningParser } from './reasoning-parser.ts';
import { createSegmentWriter } from './segment-writer.ts';

const start = '<|start|>';
const headerStarts: TokenTable = /* @__PURE__ */ createTokenTable([start, '<|channel|>']);
const messageEnds: TokenTable = /* @__PURE__ */ createTokenTable([start, '<|end|>', '<|call|>', '<|return|>']);
const openAnalysis = '<|channel|>analysis<|message|>';

/** No header of a message of reasoning is longer, in UTF-16 units. */
const maximumHeaderLength = 128;

/**
 * The channels of gpt-oss: messages on the channel `analysis` without a recipient are reasoning. The other messages
 * remain as they are, with all their markup, for the tool-call parser `gpt_oss` to read.
 */
export const gptOss: ReasoningParser = /* @__PURE__ */ assembleReasoningParser({
  name: 'gpt_oss',
  aliases: ['openai'],
  startsInReasoning: false,
  callsInReasoning: 'ignore',
  isOpenAfter(prompt) {
    const open = prompt.lastIndexOf(openAnalysis);
    return open >= 0 && !/<\|(?:start|end|call|return)\|>/.test(prompt.slice(open));
  },
  createReader,
});

function createReader(options: ReasoningOptions): ReasoningReader {
  const reasoning = createSegmentWriter();
  let state: 'between' | 'analysis' | 'other' = options.startsInReasoning ? 'analysis' : 'between';
  /** What is read next, and where it stands in the answer. */
  let source = '';
  let index = 0;
  let base = 0;
  let events: ReasoningEvent[] = [];

  /** Reads up to a token of the table. Undefined where there is none, or where more text must tell. */
  function readTo(tokens: TokenTable, isLast: boolean): string | undefined {
    let at = tokens.find(source, index);
    let token = tokens.match(source, at);
    while (token === undefined) {
      at = tokens.find(source, at + 1);
      token = tokens.match(source, at);
    }
    take(token === '' && isLast ? source.length : at);
    return token || undefined;
  }

  /** Takes the text up to `to` as what the present message makes it. */
  function take(to: number): void {
    const text = source.slice(index, to);
    if (state === 'analysis') {
      const certain = reasoning.write(text);
      if (certain !== '') events.push({ type: 'reasoning', text: certain });
    } else if (text !== '') events.push({ type: 'content', text, start: base + index });
    index = to;
  }

  /** Reads a header or a message up to its end. Whether there was one. */
  function step(isLast: boolean): boolean {
    if (state === 'between') return readHeader(isLast);
    const token = readTo(messageEnds, isLast);
    if (token === undefined) return false;
    if (state === 'analysis') {
      reasoning.endSegment();
      if (token !== start) index += token.length;
    } else if (token !== start) take(index + token.length);
    state = 'between';
    return true;
  }

  function readHeader(isLast: boolean): boolean {
    const token = readTo(headerStarts, isLast);
    if (token === undefined) return false;
    const end = analysisHeaderEnd(source.slice(index, index + maximumHeaderLength));
    if (end === 'more' && !isLast && source.length - index < maximumHeaderLength) return false;
    if (typeof end === 'number') {
      state = 'analysis';
      index += end;
    } else {
      // The token itself is passed, so that a message that begins with it does not end there.
      state = 'other';
      take(index + token.length);
    }
    return true;
  }

  return (delta, isLast) => {
    base += index;
    source = source.slice(index) + delta;
    index = 0;
    while (step(isLast));
    const taken = events;
    events = [];
    return taken;
  };
}

/** Where the header ends with which the text begins; undefined where it is not one of a message of reasoning. */
function analysisHeaderEnd(text: string): number | 'more' | undefined {
  let at = 0;
  if (text.startsWith(start)) {
    at = text.indexOf('<', start.length);
    if (at < 0) return 'more';
    if (text.slice(0, at).includes('to=')) return undefined;
  }
  for (const part of ['<|channel|>', 'analysis', '<|message|>']) {
    at = skipWhiteSpace(text, at);
    if (!text.startsWith(part, at)) return part.startsWith(text.slice(at)) ? 'more' : undefined;
    at += part.length;
  }
  return at;
}
