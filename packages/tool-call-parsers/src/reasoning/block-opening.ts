import { skipWhiteSpace } from '../text/white-space.ts';
import type { ReasoningOptions, ReasoningParser, ReasoningTags } from './reasoning-parser.ts';

/** How an answer begins. */
export interface Opened {
  readonly isInside: boolean;
  /** What follows: reasoning behind its open tag, or content. */
  readonly text: string;
}

/** Reads the beginning of an answer, where an open tag counts only as the first text that is not blank. */
export interface BlockOpening {
  /** Undefined as long as nothing can be told. */
  push(text: string): Opened | undefined;
  /** The answer is over before anything could be told. */
  finish(): Opened;
}

/** An opening for one stream. */
export function createBlockOpening(
  parser: Pick<ReasoningParser, 'startsInReasoning' | 'opensByRequestOnly'>,
  tags: ReasoningTags,
  options: ReasoningOptions,
): BlockOpening {
  const startsInside = options.startsInReasoning ?? parser.startsInReasoning;
  const isTurnedOff = parser.opensByRequestOnly === true && options.startsInReasoning === false;
  let space = '';
  /** The beginning of an open tag. */
  let partial = '';

  function decide(text: string): Opened {
    return { isInside: startsInside, text: space + text };
  }

  return {
    push(text) {
      if (isTurnedOff) return decide(text);
      // The white space is never looked at again, so that a lot of it in small deltas costs no more than in one.
      const start = partial === '' ? skipWhiteSpace(text, 0) : 0;
      space += text.slice(0, start);
      partial += text.slice(start);
      if (partial.startsWith(tags.open)) return { isInside: true, text: partial.slice(tags.open.length) };
      return tags.open.startsWith(partial) ? undefined : decide(partial);
    },
    finish: () => decide(partial),
  };
}
