import type { AnswerEvent, AnswerStream } from '@talaria/tool-call-parsers';

/** A stream takes one frame for each delta, but all in all little more than this, however long the text is. */
const maxDurationMs = 3000;

/** What is streamed, and who hears of it. */
export interface TextStreaming {
  readonly stream: AnswerStream;
  readonly text: string;
  readonly deltaLength: number;
  /** Told in each frame which events came, and up to where the text was fed. */
  readonly onEvents: (events: readonly AnswerEvent[], fedChars: number) => void;
  readonly onEnd: () => void;
}

/** Feeds a text in small deltas over the frames to come. Gives a function that stops it. */
export function streamText({ stream, text, deltaLength, onEvents, onEnd }: TextStreaming): () => void {
  const startMs = performance.now();
  let fedChars = 0;
  let frame = requestAnimationFrame(step);

  function step(): void {
    const events: AnswerEvent[] = [];
    const dueChars = (text.length * (performance.now() - startMs)) / maxDurationMs;
    do {
      for (const event of stream.feed(text.slice(fedChars, fedChars + deltaLength))) events.push(event);
      fedChars = Math.min(text.length, fedChars + deltaLength);
    } while (fedChars < Math.min(text.length, dueChars));
    if (fedChars < text.length) {
      onEvents(events, fedChars);
      frame = requestAnimationFrame(step);
      return;
    }
    for (const event of stream.finish()) events.push(event);
    onEvents(events, text.length);
    onEnd();
  }

  return () => cancelAnimationFrame(frame);
}
