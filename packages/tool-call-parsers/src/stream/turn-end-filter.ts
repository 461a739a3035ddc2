import { createTokenTable, type TokenTable } from '../text/token-table.ts';
import { contentEnd } from '../text/white-space.ts';

/** Tokens with which models end their turn. At the very end of the text they are no part of it. */
const tokens: readonly string[] = [
  '<|im_end|>',
  '<|eot_id|>',
  '<|eom_id|>',
  '</s>',
  '<|endoftext|>',
  '<｜end▁of▁sentence｜>',
  '[EOS]',
  '<|return|>',
  '<|end|>',
  '<end_of_turn>',
];
const table: TokenTable = /* @__PURE__ */ createTokenTable(tokens);
const longestToken = 21;
/** What begins a token, or is the first half of a pair. */
const tokenStart = /[<[\ud800-\udbff]/;

/**
 * Takes end-of-turn tokens, and the white space behind them, off the end of a streamed text. Elsewhere they are text,
 * so they are held until it is known which. It also keeps the halves of surrogate pairs together. Gives the text that is
 * certain after another delta, which may be the last one.
 */
export type TurnEndFilter = (delta: string, isLast?: boolean) => string;

/** A filter for one stream. One that keeps the tokens only sees to surrogate pairs. */
export function createTurnEndFilter(keepsTokens = false): TurnEndFilter {
  /** Tokens and the white space behind each, up to where the text so far ends. */
  let run = '';
  /** The beginning of a token or of a surrogate pair behind that. */
  let partial = '';

  return (delta, isLast) => {
    let certain = delta;
    // The quick way of nearly all deltas: nothing is held, and no token or half of a pair can lie at the end.
    const from = Math.max(contentEnd(delta) - longestToken, 0);
    if (partial || run || tokenStart.test(delta.slice(from))) {
      const text = partial + delta;
      const end = partialStart(text);
      // The text itself and not what its parts make: to join those would copy all of it.
      if (isLast && end < text.length) return run + text;
      const start = keepsTokens ? end : runStart(text, end);
      partial = text.slice(end);
      const isRunning = run && contentEnd(text, 0, start) === 0;
      certain = isRunning ? '' : run + text.slice(0, start);
      run = isRunning ? run + text.slice(0, end) : text.slice(start, end);
    }
    return certain;
  };
}

/** Where the end of the text may be the beginning of a token or is half of a surrogate pair; else its length. */
function partialStart(text: string): number {
  let index = table.find(text, Math.max(0, text.length - longestToken));
  while (table.match(text, index) !== '') index = table.find(text, index + 1);
  const last = text.charCodeAt(text.length - 1);
  return index === text.length && last >= 0xd800 && last <= 0xdbff ? index - 1 : index;
}

/** Where the tokens begin that end at `end` but for white space; `end` where there is none. */
function runStart(text: string, end: number): number {
  let start = end;
  for (;;) {
    const to = contentEnd(text, 0, start);
    const token = tokens.find((candidate) => text.endsWith(candidate, to));
    if (token === undefined) return start;
    start = to - token.length;
  }
}
