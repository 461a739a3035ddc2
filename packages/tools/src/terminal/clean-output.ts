import { clipText } from '@talaria/core';

/** Longest body of a control string (a title, a link) that is removed; a longer one is not a control string. */
const maxStringLength = 4_096;

// Every kind of ECMA-48 sequence: CSI, OSC (ended by BEL or ST), DCS/SOS/PM/APC (ended by ST), nF, two-byte, 8-bit C1.
const sequences = new RegExp(
  [
    '(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]',
    `(?:\\u001b\\]|\\u009d)[^\\u0007\\u001b\\u0080-\\u009f]{0,${maxStringLength}}(?:\\u0007|\\u001b\\\\|\\u009c)`,
    `(?:\\u001b[PX^_]|[\\u0090\\u0098\\u009e\\u009f])[^\\u001b\\u0080-\\u009f]{0,${maxStringLength}}(?:\\u001b\\\\|\\u009c)`,
    '\\u001b[ -/]+[0-~]',
    '\\u001b[0-~]',
    '[\\u0080-\\u009f]',
  ].join('|'),
  'g',
);

/** Removes terminal control sequences: colours, cursor movements, titles, links. */
export function stripControlSequences(text: string): string {
  return text.replaceAll(sequences, '');
}

/** Keeps of each line only what was drawn last: the text after the last carriage return that is followed by text. */
export function collapseCarriageReturns(text: string): string {
  if (!text.includes('\r')) return text;
  return text
    .split('\n')
    .map((line) => {
      // No pattern here: one for the end of a line takes forever on a line of returns.
      let end = line.length;
      while (line[end - 1] === '\r') end -= 1;
      return line.slice(line.lastIndexOf('\r', end - 1) + 1, end);
    })
    .join('\n');
}

/** Output of a program without control sequences, NULs and overdrawn progress lines. */
export function cleanPiece(text: string): string {
  return collapseCarriageReturns(stripControlSequences(text)).replaceAll('\0', '');
}

/** What {@link cleanOutput} should do. */
export interface CleanOutputOptions {
  readonly maxChars: number;
  readonly collapseCarriageReturns: boolean;
}

/**
 * Command output as the model sees it: without control sequences, NULs, overdrawn progress lines and trailing white space,
 * and cut to a limit. Cleaned before it is cut, so that no sequence is split.
 */
export function cleanOutput(text: string, options: CleanOutputOptions): string {
  const stripped = stripControlSequences(text).replaceAll('\0', '');
  const drawn = options.collapseCarriageReturns ? collapseCarriageReturns(stripped) : stripped;
  return clipText(drawn.trimEnd(), options.maxChars).text;
}
