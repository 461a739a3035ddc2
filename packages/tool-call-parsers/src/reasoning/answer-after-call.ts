import type { StreamEvent } from '../tool-call-parser.ts';
import type { AnswerEvent } from './answer-parser.ts';
import { createSegmentWriter } from './segment-writer.ts';
import { createTagFinder } from './tag-finder.ts';

/**
 * Makes an answer of what a tool-call stream tells behind the call that ended the reasoning: a close tag that comes
 * late vanishes, and text is joined as if there had been no text before that call.
 */
export interface AnswerAfterCall {
  read(event: StreamEvent): readonly AnswerEvent[];
  finish(): readonly AnswerEvent[];
}

/** For one stream. */
export function createAnswerAfterCall(closeTag: string): AnswerAfterCall {
  const tag = createTagFinder(closeTag);
  const content = createSegmentWriter();
  let isTagRead = false;

  function readText(text: string): string {
    if (isTagRead) return text;
    const { before, after } = tag.push(text);
    isTagRead = after !== undefined;
    return before + (after ?? '');
  }

  function write(text: string): readonly AnswerEvent[] {
    const certain = content.write(text);
    return certain === '' ? [] : [{ type: 'content', text: certain }];
  }

  return {
    read(event) {
      if (event.type === 'content') return write(readText(event.text));
      if (event.type === 'call-end') content.endSegment();
      return event.type === 'call-start' ? [...write(tag.flush()), event] : [event];
    },
    finish: () => write(tag.flush()),
  };
}
