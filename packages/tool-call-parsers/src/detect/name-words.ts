/** A model name as words. */
export interface NameWords {
  /** The words in lower case, between ` ^ ` and ` $ `: `Qwen2.5-7B_q4` reads ` ^ qwen 2 5 7b q 4 $ `. */
  readonly text: string;
  /** Where each word stands in the name. */
  readonly places: readonly { readonly start: number; readonly end: number }[];
}

/**
 * Splits between letters and digits and at everything else, since a version is written in any way: `Llama-3.1`,
 * `llama3_1`, and `deepseekv3` for `DeepSeek-V3`. A number with its unit is one word, so that the size in `Llama-3-1B` is
 * not taken for a version.
 */
export function readNameWords(name: string): NameWords {
  const lowerCase = name.toLowerCase();
  let text = ' ^ ';
  const places: { start: number; end: number }[] = [];
  for (const { 0: word, index } of lowerCase.matchAll(/\d+(?:x\d+)?(?:bit|[bmk])(?![a-z\d])|\d+|deepseek|[a-z]+/g)) {
    text += `${word} `;
    places.push({ start: index, end: index + word.length });
  }
  return { text: `${text}$ `, places };
}

/** The piece of the name in which the words of `pattern` were found, in the name's own spelling. */
export function quoteWords(pattern: string, words: NameWords, name: string): string {
  const sought = pattern.replace('^ ', '').replace(' $', '');
  const before = words.text.slice(0, words.text.indexOf(` ${sought} `));
  // ` ^` holds one blank and no word.
  const first = before.split(' ').length - 2;
  const start = words.places[first]?.start ?? 0;
  const end = words.places[first + sought.split(' ').length - 1]?.end ?? name.length;
  return name.slice(start, end);
}
