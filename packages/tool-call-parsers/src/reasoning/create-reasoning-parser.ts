import { optionError } from '../option-error.ts';
import { assembleReasoningParser } from './assemble-reasoning-parser.ts';
import { checkCallsInReasoning } from './check-calls-in-reasoning.ts';
import { isBlockOpenAfter } from './is-block-open-after.ts';
import type { CallsInReasoning, ReasoningParser } from './reasoning-parser.ts';
import { createTaggedReasoningReader } from './tagged-reasoning-reader.ts';

/** A family of models whose reasoning is one block between two tags at the beginning of an answer. */
export interface ReasoningParserOptions {
  readonly name: string;
  /** Other names under which a registry finds it. */
  readonly aliases?: readonly string[] | undefined;
  /** Begins the reasoning. May be missing where the prompt ended with it. Not empty. */
  readonly openTag: string;
  /** Ends the reasoning. Not empty. */
  readonly closeTag: string;
  /** Whether an answer begins inside the reasoning where the prompt is not known. @default false */
  readonly startsInReasoning?: boolean | undefined;
  /** Whether an open tag is text where an answer is said to begin outside the reasoning. @default false */
  readonly opensByRequestOnly?: boolean | undefined;
  /** What becomes of calls that begin inside the reasoning. @default 'ignore' */
  readonly callsInReasoning?: CallsInReasoning | undefined;
}

/**
 * Makes a reasoning parser from its tags.
 * @throws ParserError `parser.option` for an empty tag, or another value that an option does not take
 */
export function createReasoningParser(options: ReasoningParserOptions): ReasoningParser {
  const { name, aliases, openTag, closeTag, startsInReasoning = false, opensByRequestOnly = false } = options;
  for (const [option, tag] of Object.entries({ openTag, closeTag })) {
    if (typeof tag !== 'string' || tag === '') throw optionError(option, tag, 'a text of one character or more');
  }
  const tags = { open: openTag, close: closeTag };
  return assembleReasoningParser({
    name,
    aliases,
    tags,
    startsInReasoning,
    opensByRequestOnly,
    callsInReasoning: checkCallsInReasoning(options.callsInReasoning ?? 'ignore'),
    isOpenAfter: (prompt) => isBlockOpenAfter(prompt, tags),
    createReader: (answer) => createTaggedReasoningReader({ startsInReasoning, opensByRequestOnly }, tags, answer),
  });
}
