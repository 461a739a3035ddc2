import { truncateText } from '@talaria/core';

/** What happened on pages that nobody asked for, until it is told. */
export interface PageNotes {
  /** The same sentence again is only counted. */
  add(sentence: string): void;
  /** All since this was last called. */
  take(): readonly string[];
}

/** Different sentences that are kept. */
const maxSentences = 10;
/** Longest sentence. */
const maxSentenceChars = 500;

/** Creates empty notes. */
export function createPageNotes(): PageNotes {
  let counts = new Map<string, number>();
  let omitted = 0;
  return {
    add(sentence) {
      const text = truncateText(sentence, maxSentenceChars);
      const count = counts.get(text);
      if (count !== undefined || counts.size < maxSentences) counts.set(text, (count ?? 0) + 1);
      else omitted += 1;
    },
    take() {
      const lines = [...counts].map(([text, count]) => (count === 1 ? text : `${text} (${count} times)`));
      if (omitted > 0) lines.push(`${omitted} more events are not listed.`);
      counts = new Map();
      omitted = 0;
      return lines;
    },
  };
}
