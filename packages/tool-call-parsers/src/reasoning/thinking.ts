import type { StreamEvent } from '../tool-call-parser.ts';
import { createAnswerAfterCall } from './answer-after-call.ts';
import type { AnswerEvent } from './answer-parser.ts';
import type { PlacedStream } from './placed-stream.ts';
import { createSegmentWriter } from './segment-writer.ts';
import { createTagFinder } from './tag-finder.ts';

/** A piece of an answer and its offset there. */
export interface PlacedText {
  readonly text: string;
  readonly start: number;
}

/**
 * Reads from behind the open tag on. The reasoning ends at its close tag or at the first well-formed call, whichever
 * comes first; a close tag inside such a call is the call's.
 */
export interface Thinking {
  feed(text: string, start: number): readonly AnswerEvent[];
  finish(reason?: 'stop' | 'length'): readonly AnswerEvent[];
  /** What stands behind the close tag, once that has ended the reasoning: the answer, to be read on its own. */
  takeRest(): PlacedText | undefined;
}

/**
 * For one stream. `calls` is fed everything. As long as no call is complete, its content is what it was fed, so a close
 * tag in its content is one that stands in no call.
 */
export function createThinking(calls: PlacedStream, closeTag: string): Thinking {
  const tagInText = createTagFinder(closeTag);
  const tagInContent = createTagFinder(closeTag);
  const reasoning = createSegmentWriter();
  const answer = createAnswerAfterCall(closeTag);
  let state: 'open' | 'closed' | 'called' = 'open';
  /** The text behind the first close tag: the answer, unless a call reaches over the tag. */
  let rest: { readonly pieces: string[]; readonly start: number } | undefined;
  /** The call that is going on. It is held until it is complete, since until then it may be reasoning. */
  let started: Extract<StreamEvent, { readonly type: 'call-start' }> | undefined;
  /** Calls that failed. They are told of where no close tag says that they were but thought of. */
  const faults: AnswerEvent[] = [];
  let events: AnswerEvent[] = [];

  function read(fed: readonly StreamEvent[]): void {
    for (const event of fed) {
      if (state === 'called') for (const said of answer.read(event)) events.push(said);
      if (state === 'open') readThought(event);
    }
  }

  function readThought(event: StreamEvent): void {
    if (event.type === 'content') readText(event.text);
    else if (event.type === 'error') faults.push(event);
    else if (event.type === 'call-start') started = event;
    else if (event.type === 'call-end' && started !== undefined) {
      write(tagInContent.flush());
      const { index } = started;
      events = events.concat(faults, started, { type: 'call-arguments', index, delta: event.arguments }, event);
      state = 'called';
      rest = undefined;
    }
  }

  function readText(text: string): void {
    const { before, after } = tagInContent.push(text);
    write(before);
    // A format that takes markup out of content may have made a tag of what was none.
    if (after !== undefined && rest === undefined) write(closeTag + after);
    else if (after !== undefined) state = 'closed';
  }

  function write(text: string): void {
    const certain = reasoning.write(text);
    if (certain !== '') events.push({ type: 'reasoning', text: certain });
  }

  function take(): readonly AnswerEvent[] {
    const taken = events;
    events = [];
    return taken;
  }

  return {
    feed(text, start) {
      rest?.pieces.push(text);
      const after = state === 'open' && rest === undefined ? tagInText.push(text).after : undefined;
      const split = text.length - (after ?? '').length;
      if (after !== undefined) rest = { pieces: [after], start: start + split };
      // Up to the close tag first: mostly that says that the reasoning is over.
      read(calls.feed(text.slice(0, split), start));
      if (state !== 'closed' && split < text.length) read(calls.feed(text.slice(split), start + split));
      return take();
    },
    finish(reason) {
      read(calls.finish(reason));
      if (state === 'called') events = events.concat(answer.finish());
      if (state === 'open') {
        write(tagInContent.flush());
        events = events.concat(faults);
      }
      return take();
    },
    takeRest: () => (state === 'closed' && rest ? { text: rest.pieces.join(''), start: rest.start } : undefined),
  };
}
