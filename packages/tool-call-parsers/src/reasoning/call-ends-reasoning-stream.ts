import { createTurnEndFilter } from '../stream/turn-end-filter.ts';
import { skipWhiteSpace } from '../text/white-space.ts';
import type { ToolCallParser } from '../tool-call-parser.ts';
import type { AnswerEvent, AnswerStream, AnswerStreamOptions } from './answer-parser.ts';
import { createBlockOpening, type Opened } from './block-opening.ts';
import { createFinishGuard } from './finish-guard.ts';
import { createPlacedStream, type PlacedStream } from './placed-stream.ts';
import type { ReasoningParser, ReasoningTags } from './reasoning-parser.ts';
import { shareIds } from './share-ids.ts';
import { createThinking, type Thinking } from './thinking.ts';

/**
 * Reads calls in the reasoning too; a well-formed one ends it. Where the close tag ends it, what follows is read by a
 * stream of its own, so that nothing in the reasoning has an influence on the answer.
 */
export function createCallEndsReasoningStream(
  reasoning: ReasoningParser,
  tags: ReasoningTags,
  toolCalls: ToolCallParser,
  options: AnswerStreamOptions,
): AnswerStream {
  const filter = createTurnEndFilter();
  const opening = createBlockOpening(reasoning, tags, options);
  const guard = createFinishGuard();
  const [thoughtIds, answerIds] = shareIds(options.idFactory);
  let thinking: Thinking | undefined;
  let answer: PlacedStream | undefined;
  /** Nothing but white space was read since the close tag. */
  let isBehindTag = false;
  /** How much of the text was read. */
  let length = 0;

  function read(delta: string): readonly AnswerEvent[] {
    length += delta.length;
    if (thinking !== undefined || answer !== undefined) return readOn(delta);
    const opened = opening.push(delta);
    return opened === undefined ? [] : enter(opened);
  }

  function enter({ isInside, text }: Opened): readonly AnswerEvent[] {
    if (isInside) thinking = createThinking(openCalls(thoughtIds), tags.close);
    else answer = openCalls(answerIds);
    return readOn(text);
  }

  function openCalls(idFactory: (() => string) | undefined): PlacedStream {
    return createPlacedStream(toolCalls.stream({ ...options, idFactory }));
  }

  function readOn(text: string): readonly AnswerEvent[] {
    const start = length - text.length;
    return thinking === undefined ? readAnswer(text, start) : [...thinking.feed(text, start), ...leaveThinking()];
  }

  /** Goes on behind the close tag, if that was read. */
  function leaveThinking(): readonly AnswerEvent[] {
    const rest = thinking?.takeRest();
    if (rest === undefined) return [];
    thinking = undefined;
    answer = openCalls(answerIds);
    isBehindTag = true;
    return readAnswer(rest.text, rest.start);
  }

  function readAnswer(text: string, start: number): readonly AnswerEvent[] {
    const skipped = isBehindTag ? skipWhiteSpace(text, 0) : 0;
    if (answer === undefined || skipped === text.length) return [];
    isBehindTag = false;
    return answer.feed(text.slice(skipped), start + skipped);
  }

  return {
    feed(delta) {
      guard(false);
      return read(filter(delta));
    },
    finish(reason) {
      guard(true);
      let events: AnswerEvent[] = [...read(filter('', true))];
      if (thinking === undefined && answer === undefined) events = events.concat(enter(opening.finish()));
      if (thinking !== undefined) events = events.concat(thinking.finish(reason), leaveThinking());
      return answer === undefined ? events : events.concat(answer.finish(reason));
    },
  };
}
