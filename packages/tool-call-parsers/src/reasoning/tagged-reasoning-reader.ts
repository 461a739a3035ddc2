import { createTurnEndFilter } from '../stream/turn-end-filter.ts';
import { skipWhiteSpace } from '../text/white-space.ts';
import { createBlockOpening, type Opened } from './block-opening.ts';
import type { ReasoningEvent, ReasoningOptions, ReasoningParser, ReasoningTags } from './reasoning-parser.ts';
import { createSegmentWriter } from './segment-writer.ts';
import { createTagFinder } from './tag-finder.ts';

/** Splits an answer whose reasoning is one block between two tags, the first of which may be missing. */
export function createTaggedReasoningReader(
  parser: Pick<ReasoningParser, 'startsInReasoning' | 'opensByRequestOnly'>,
  tags: ReasoningTags,
  options: ReasoningOptions,
): (delta: string, isLast: boolean) => readonly ReasoningEvent[] {
  const filter = createTurnEndFilter();
  const opening = createBlockOpening(parser, tags, options);
  const close = createTagFinder(tags.close);
  const reasoning = createSegmentWriter();
  let state: 'opening' | 'reasoning' | 'closed' | 'content' = 'opening';
  /** How much of the answer was read. */
  let length = 0;
  let events: ReasoningEvent[] = [];

  function read(delta: string): void {
    length += delta.length;
    let text = delta;
    if (state === 'opening') {
      const opened = opening.push(text);
      if (opened === undefined) return;
      text = enter(opened);
    }
    if (state === 'reasoning') text = readReasoning(text);
    if (state === 'closed') {
      text = text.slice(skipWhiteSpace(text, 0));
      if (text !== '') state = 'content';
    }
    if (state === 'content') writeContent(text);
  }

  function enter(opened: Opened): string {
    state = opened.isInside ? 'reasoning' : 'content';
    return opened.text;
  }

  function readReasoning(text: string): string {
    const { before, after } = close.push(text);
    writeReasoning(before);
    if (after !== undefined) state = 'closed';
    return after ?? '';
  }

  function writeReasoning(text: string): void {
    const certain = reasoning.write(text);
    if (certain !== '') events.push({ type: 'reasoning', text: certain });
  }

  function writeContent(text: string): void {
    if (text !== '') events.push({ type: 'content', text, start: length - text.length });
  }

  function finish(): void {
    const text = state === 'opening' ? enter(opening.finish()) : '';
    if (state === 'content') writeContent(text);
    if (state === 'reasoning') writeReasoning(close.flush() + text);
  }

  return (delta, isLast) => {
    read(filter(delta));
    if (isLast) {
      read(filter('', true));
      finish();
    }
    const taken = events;
    events = [];
    return taken;
  };
}
