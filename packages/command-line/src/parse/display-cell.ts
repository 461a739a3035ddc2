import { isInsidePair } from './inside-pair.ts';
import { nameCharacter } from './visible-text.ts';

/** One character of a text, as it stands in a single line on a terminal. */
export interface DisplayCell {
  /** Offset of the character, in UTF-16 units. */
  readonly start: number;
  /** Offset behind it. */
  readonly end: number;
  /** What is printed for it. */
  readonly shown: string;
  /** Columns that it takes: 0 for marks that stand on the character before. */
  readonly width: number;
}

/** A tab is always as wide as this, since tab stops mean nothing in a line whose beginning is cut off. */
const tab = '    ';

/**
 * What is not shown as it is: what cannot be seen, or whose width differs from terminal to terminal. That includes the
 * joiners and the modifiers of emoji, so that a sequence falls apart into characters whose widths all terminals agree on.
 */
const unclear = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\p{Emoji_Modifier}]/u;

/** Marks on the character before; the vowels and finals of Hangul are drawn into the syllable before them. */
const marks = /[\p{Mn}\p{Me}\u{1160}-\u{11FF}\u{D7B0}-\u{D7FF}]/u;

/** Twice as wide as a letter: East Asian width W or F by the Unicode standard, whole blocks where no other stand there. */
const wide =
  /(?!\p{Regional_Indicator})\p{Emoji_Presentation}|[\u{1100}-\u{115F}\u{2329}\u{232A}\u{2630}-\u{2637}\u{268A}-\u{268F}\u{2E80}-\u{303E}\u{3041}-\u{3247}\u{3250}-\u{A4CF}\u{A960}-\u{A97C}\u{AC00}-\u{D7A3}\u{F900}-\u{FAFF}\u{FE10}-\u{FE19}\u{FE30}-\u{FE6F}\u{FF01}-\u{FF60}\u{FFE0}-\u{FFE6}\u{16FE0}-\u{18DFF}\u{1AFF0}-\u{1B2FF}\u{1D300}-\u{1D376}\u{1F200}-\u{1F265}\u{20000}-\u{3FFFD}]/u;

/** The character at an offset; one whose second half stands at the offset, too. */
export function cellAt(text: string, offset: number): DisplayCell {
  const start = isInsidePair(text, offset) ? offset - 1 : offset;
  const character = String.fromCodePoint(text.codePointAt(start) ?? 0);
  return { start, end: start + character.length, ...appearance(character) };
}

function appearance(character: string): Pick<DisplayCell, 'shown' | 'width'> {
  // Nearly all of most texts, without a look at the tables.
  if (character >= ' ' && character <= '~') return { shown: character, width: 1 };
  if (character === '\t') return { shown: tab, width: tab.length };
  if (unclear.test(character)) {
    const shown = nameCharacter(character);
    return { shown, width: shown.length };
  }
  if (marks.test(character)) return { shown: character, width: 0 };
  return { shown: character, width: wide.test(character) ? 2 : 1 };
}

/** Columns that a text takes in one line. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += appearance(character).width;
  return width;
}
