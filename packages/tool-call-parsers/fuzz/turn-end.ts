/** Written once more on purpose: a token that the parsers forgot, or took for one, must be found. */
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

/** The text without end-of-turn tokens at its end, and without the white space behind each. */
export function withoutTurnEnd(text: string): string {
  let rest = text;
  for (;;) {
    const trimmed = rest.replace(/[ \t\r\n]+$/, '');
    const token = tokens.find((candidate) => trimmed.endsWith(candidate));
    if (token === undefined) return rest;
    rest = trimmed.slice(0, -token.length);
  }
}
