/** How much of two texts is compared at once. */
const stepChars = 65_536;

/** Two texts without the lines at the start and at the end that both have. */
export interface ChangedPart {
  readonly before: string;
  readonly after: string;
  /** Lines that were left out at the start. */
  readonly skippedLines: number;
}

/** Cuts off the lines that two texts share at both ends, but for `contextLines` on each side. */
export function changedPart(before: string, after: string, contextLines: number): ChangedPart {
  const start = lineStart(before, sharedStart(before, after), contextLines);
  const shared = sharedEnd(before, after, Math.min(before.length, after.length) - start);
  const kept = before.length - lineEnd(before, before.length - shared, contextLines);
  return {
    before: before.slice(start, before.length - kept),
    after: after.slice(start, after.length - kept),
    skippedLines: countBreaks(before, start),
  };
}

function sharedStart(left: string, right: string): number {
  const most = Math.min(left.length, right.length);
  let length = 0;
  // Slices are compared much faster than single characters.
  while (length < most && left.slice(length, length + stepChars) === right.slice(length, length + stepChars)) {
    length += stepChars;
  }
  length = Math.min(length, most);
  while (length < most && left[length] === right[length]) length += 1;
  return length;
}

function sharedEnd(left: string, right: string, most: number): number {
  const tail = (text: string, length: number, step: number): string =>
    text.slice(text.length - length - step, text.length - length);
  let length = 0;
  while (length + stepChars <= most && tail(left, length, stepChars) === tail(right, length, stepChars)) {
    length += stepChars;
  }
  while (length < most && tail(left, length, 1) === tail(right, length, 1)) length += 1;
  return length;
}

/** Start of the line at `position`, and of `count` lines before it. */
function lineStart(text: string, position: number, count: number): number {
  let start = position === 0 ? 0 : text.lastIndexOf('\n', position - 1) + 1;
  for (let lines = 0; lines < count && start > 0; lines += 1) {
    start = start < 2 ? 0 : text.lastIndexOf('\n', start - 2) + 1;
  }
  return start;
}

/** End of the line at `position`, with its break, and of `count` lines behind it. */
function lineEnd(text: string, position: number, count: number): number {
  let end = position;
  for (let lines = 0; lines <= count && end < text.length; lines += 1) {
    const lineBreak = text.indexOf('\n', end);
    end = lineBreak === -1 ? text.length : lineBreak + 1;
  }
  return end;
}

function countBreaks(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
