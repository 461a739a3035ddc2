/** Letters, digits and the marks on them: what words are made of. */
const wordPattern = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;
/** Scripts that write sentences without spaces, so that a word has no border to begin at. */
const unspacedScript =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** Words of a query that count. */
const maxWords = 32;

/** Characters around what was found. */
const before = 80;
const after = 220;

/** The words of a text, folded, each once. */
export function wordsOf(text: string): readonly string[] {
  const words = (text.match(wordPattern) ?? []).map(foldWord).filter((word) => word !== '');
  return [...new Set(words)];
}

/** The words of a query that count. */
export function searchWords(text: string): readonly string[] {
  return wordsOf(text).slice(0, maxWords);
}

/** Whether a word is looked for anywhere in other words, not only at their start. */
export function isUnspaced(word: string): boolean {
  return unspacedScript.test(word);
}

/** Whether a text holds all of some folded words. */
export function holdsWords(text: string, words: readonly string[]): boolean {
  const held = wordsOf(text);
  return words.every((word) => held.some((candidate) => fits(candidate, word)));
}

/** A piece of a text around the first place where one of some folded words stands, in one line. */
export function snippetOf(text: string, words: readonly string[]): string {
  const place = firstPlace(text, words);
  const start = characterBorder(text, place <= before ? 0 : place - before);
  const end = characterBorder(text, Math.min(text.length, place + after));
  const piece = text.slice(start, end).replace(/\s+/g, ' ').trim();
  return `${start > 0 ? '...' : ''}${piece}${end < text.length ? '...' : ''}`;
}

/** How a text begins, in one line. */
export function beginningOf(text: string, maxChars: number): string {
  const piece = text.slice(0, characterBorder(text, maxChars)).replace(/\s+/g, ' ').trim();
  return text.length > maxChars ? `${piece}...` : piece;
}

function firstPlace(text: string, words: readonly string[]): number {
  for (const match of text.matchAll(wordPattern)) {
    const folded = foldWord(match[0]);
    const word = words.find((candidate) => fits(folded, candidate));
    // Folding changes few lengths; near enough for a piece of text.
    if (word !== undefined) return match.index + Math.max(0, folded.indexOf(word));
  }
  return 0;
}

function fits(folded: string, word: string): boolean {
  return isUnspaced(word) ? folded.includes(word) : folded.startsWith(word);
}

/** Without accents and case. */
function foldWord(word: string): string {
  return word
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .normalize('NFC')
    .toLowerCase();
}

function characterBorder(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff ? index - 1 : index;
}
