/** Text cut to a limit: the first 40 % and the last 60 %, with a notice between. */
export interface ClippedText {
  readonly text: string;
  /** UTF-16 units that were left out; 0 where nothing was. */
  readonly omittedChars: number;
}

/**
 * Keeps the first 40 % and the last 60 % of `maxChars` UTF-16 units and says between them what was left out.
 * Never cuts inside a surrogate pair. The notice comes on top of the limit.
 */
export function clipText(text: string, maxChars: number): ClippedText {
  if (text.length <= maxChars) return { text, omittedChars: 0 };
  const headEnd = atCharacterBorder(text, Math.floor(maxChars * 0.4));
  const tailStart = atCharacterBorder(text, text.length - (maxChars - headEnd));
  const omittedChars = tailStart - headEnd;
  const notice = `\n\n... [${omittedChars} of ${text.length} characters omitted] ...\n\n`;
  return { text: text.slice(0, headEnd) + notice + text.slice(tailStart), omittedChars };
}

/** The first `maxChars` UTF-16 units, with an ellipsis where something was cut. */
export function truncateText(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, atCharacterBorder(text, maxChars))}…`;
}

function atCharacterBorder(text: string, index: number): number {
  const before = text.charCodeAt(index - 1);
  const isInsidePair = before >= 0xd800 && before <= 0xdbff;
  return isInsidePair ? index - 1 : index;
}
