import type { ReasoningParser, ReasoningSplit, ReasoningTags } from '@talaria/tool-call-parsers/reasoning';

/** A split as the rules define it, and where in the text the content begins if it is one stretch. */
export interface ReferenceSplit extends ReasoningSplit {
  readonly contentStart: number;
}

const endOfTurn =
  /(?:<\|im_end\|>|<\|eot_id\|>|<\|eom_id\|>|<\/s>|<\|endoftext\|>|<｜end▁of▁sentence｜>|\[EOS\]|<\|return\|>|<\|end\|>|<end_of_turn>)[ \t\r\n]*$/;

/** Splits a whole text: slow, and sharing no code with the parsers. */
export function referenceSplit(input: string, parser: ReasoningParser, startsInside?: boolean): ReferenceSplit {
  if (parser.name === 'identity') return { reasoning: null, content: input, contentStart: 0 };
  if (parser.tags === undefined) return referenceChannels(input, startsInside ?? false);
  let text = input;
  while (endOfTurn.test(text)) text = text.replace(endOfTurn, '');
  return splitBlock(text, parser, parser.tags, startsInside);
}

function splitBlock(
  text: string,
  parser: ReasoningParser,
  tags: ReasoningTags,
  startsInside?: boolean,
): ReferenceSplit {
  const isTurnedOff = parser.opensByRequestOnly === true && startsInside === false;
  const lead = /^[ \t\r\n]*/.exec(text)?.[0].length ?? 0;
  const hasOpenTag = !isTurnedOff && text.startsWith(tags.open, lead);
  if (!hasOpenTag && !(startsInside ?? parser.startsInReasoning)) {
    return { reasoning: null, content: text, contentStart: 0 };
  }
  const from = hasOpenTag ? lead + tags.open.length : 0;
  const close = text.indexOf(tags.close, from);
  const reasoning = trim(close < 0 ? text.slice(from) : text.slice(from, close)) || null;
  if (close < 0) return { reasoning, content: '', contentStart: text.length };
  const behind = text.slice(close + tags.close.length);
  const content = behind.replace(/^[ \t\r\n]+/, '');
  return { reasoning, content, contentStart: text.length - content.length };
}

/** Messages of gpt-oss. The content is in pieces, so no place is told. */
function referenceChannels(text: string, startsInside: boolean): ReferenceSplit {
  const header = /(?:<\|start\|>[^<]*)?(?:<\|channel\|>[^<]*)?(?:<\|constrain\|>[^<]*)?<\|message\|>/y;
  const thoughts: string[] = [];
  let content = '';
  let at = 0;
  let isInside = startsInside;
  while (at < text.length) {
    if (isInside) {
      const end = search(text, /<\|(?:start|end|call|return)\|>/g, at);
      thoughts.push(trim(text.slice(at, end.index)));
      at = end.token === '<|start|>' ? end.index : end.index + end.token.length;
      isInside = false;
      continue;
    }
    const start = search(text, /<\|(?:start|channel)\|>/g, at);
    content += text.slice(at, start.index);
    at = start.index;
    header.lastIndex = at;
    const found = header.exec(text)?.[0] ?? '';
    const isWhole = found !== '' && found.length <= 256;
    const isCall = isWhole && found.includes('to=');
    if (!isCall && isWhole && /<\|channel\|>\s*analysis\b/.test(found)) {
      at += found.length;
      isInside = true;
      continue;
    }
    // In the arguments of a call, strings are skipped.
    const ends = isCall
      ? /<\|(?:start|end|call|return)\|>|"(?:[^"\\]|\\["\\]|\\(?!["\\]))*(?:"|$)/g
      : /<\|(?:start|end|call|return)\|>/g;
    let end = search(text, ends, at + start.token.length);
    while (end.token.startsWith('"')) end = search(text, ends, end.index + end.token.length);
    const to = end.token === '<|start|>' ? end.index : end.index + end.token.length;
    content += text.slice(at, to);
    at = to;
  }
  return { reasoning: thoughts.filter(Boolean).join('\n') || null, content, contentStart: 0 };
}

function search(text: string, tokens: RegExp, from: number): { readonly index: number; readonly token: string } {
  tokens.lastIndex = from;
  const found = tokens.exec(text);
  return { index: found?.index ?? text.length, token: found?.[0] ?? '' };
}

function trim(text: string): string {
  return text.replace(/^[ \t\r\n]+/, '').replace(/[ \t\r\n]+$/, '');
}
