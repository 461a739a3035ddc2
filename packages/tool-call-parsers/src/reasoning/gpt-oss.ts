import { createTokenTable, type TokenTable } from '../text/token-table.ts';
import { assembleReasoningParser, type ReasoningReader } from './assemble-reasoning-parser.ts';
import type { ReasoningEvent, ReasoningOptions, ReasoningParser } from './reasoning-parser.ts';
import { createSegmentWriter } from './segment-writer.ts';

const start = '<|start|>';
const ends: readonly string[] = [start, '<|end|>', '<|call|>', '<|return|>'];
const headerStarts: TokenTable = /* @__PURE__ */ createTokenTable([start, '<|channel|>']);
const messageEnds: TokenTable = /* @__PURE__ */ createTokenTable(ends);
/** In the arguments of a call, what stands in a string ends no message. */
const callParts: TokenTable = /* @__PURE__ */ createTokenTable([...ends, '"', '\\"', '\\\\']);
const openAnalysis = '<|channel|>analysis<|message|>';

/** A header, or as much of one as there is: whether on the channel of reasoning, and whether it is whole. */
const headerPattern =
  /^(?:<\|start\|>[^<]*)?(?:<\|channel\|>\s*(analysis\b)?[^<]*)?(?:<\|constrain\|>[^<]*)?(?:(<\|message\|>)|(?:<\|?\w*\|?)?$)/;
/** No header is longer, in UTF-16 units. */
const maximumHeaderLength = 256;

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
    return open >= 0 && !ends.some((end) => prompt.includes(end, open));
  },
  createReader,
});

function createReader(options: ReasoningOptions): ReasoningReader {
  const reasoning = createSegmentWriter();
  let isAnalysis = options.startsInReasoning === true;
  /** What is looked for: the next header, or the end of the message. */
  let tokens = isAnalysis ? messageEnds : headerStarts;
  /** Whether what is read next stands in a string of a call, where no message ends. */
  let isInString = false;
  /** What is read next, and where it stands in the answer. */
  let source = '';
  let index = 0;
  let base = 0;
  let events: ReasoningEvent[] = [];

  /** Reads up to a token. Empty where there is none, or where more text must tell. */
  function readTo(isLast: boolean): string {
    for (let at = index; ; ) {
      at = tokens.find(source, at);
      const token = tokens.match(source, at);
      if (token === '"') isInString = !isInString;
      else if (token === '' || (token?.startsWith('<') && !isInString)) {
        take(token === '' && isLast ? source.length : at);
        return token;
      }
      at += token?.length ?? 1;
    }
  }

  /** Takes the text up to `to` as what the present message makes it. */
  function take(to: number): void {
    const text = source.slice(index, to);
    if (isAnalysis) {
      const certain = reasoning.write(text);
      if (certain !== '') events.push({ type: 'reasoning', text: certain });
    } else if (text !== '') events.push({ type: 'content', text, start: base + index });
    index = to;
  }

  /** Reads up to the end of a header or of a message. Whether there was one. */
  function step(isLast: boolean): boolean {
    const token = readTo(isLast);
    if (token === '') return false;
    if (tokens === headerStarts) return readHeader(token.length, isLast);
    if (isAnalysis) {
      reasoning.endSegment();
      if (token !== start) index += token.length;
    } else if (token !== start) take(index + token.length);
    isAnalysis = false;
    tokens = headerStarts;
    return true;
  }

  function readHeader(tokenLength: number, isLast: boolean): boolean {
    const text = source.slice(index, index + maximumHeaderLength);
    const [header = '', channel, isWhole] = headerPattern.exec(text) ?? [];
    if (header !== '' && !isWhole && !isLast && text.length < maximumHeaderLength) return false;
    const isCall = header.includes('to=');
    tokens = isWhole && isCall ? callParts : messageEnds;
    if (isWhole && channel && !isCall) {
      isAnalysis = true;
      index += header.length;
      // The token itself is passed, so that a message that begins with it does not end there.
    } else take(index + tokenLength);
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
