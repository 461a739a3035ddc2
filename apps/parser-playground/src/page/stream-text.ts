import { type AnswerEvent, type AnswerResult, type AnswerStream, foldAnswerEvents } from '@talaria/tool-call-parsers';
import { clipText } from './clip-text.ts';

/** A stream takes one frame for each delta, but all in all little more than this, however long the text is. */
const maxDurationMs = 3000;

/** Most events that are shown at a time, the last of all, and the longest line of one. */
const maxShown = 200;
const maxLineChars = 300;

/** What is streamed, and where it is shown. */
export interface TextStreaming {
  readonly stream: AnswerStream;
  readonly text: string;
  readonly deltaLength: number;
  /** What the whole text gave, which the stream has to give too. */
  readonly whole: AnswerResult;
  readonly eventList: HTMLTextAreaElement;
  readonly progress: HTMLElement;
  readonly verdict: HTMLElement;
}

/** Feeds a text in small deltas, and shows the events as they come. Gives a function that stops it. */
export function streamText({ stream, text, deltaLength, whole, ...place }: TextStreaming): () => void {
  const startMs = performance.now();
  const events: AnswerEvent[] = [];
  let lines: readonly string[] = [];
  let fedChars = 0;
  let frame = requestAnimationFrame(step);

  function step(): void {
    const knownCount = events.length;
    const dueChars = (text.length * (performance.now() - startMs)) / maxDurationMs;
    do {
      for (const event of stream.feed(text.slice(fedChars, fedChars + deltaLength))) events.push(event);
      fedChars = Math.min(text.length, fedChars + deltaLength);
    } while (fedChars < Math.min(text.length, dueChars));
    if (fedChars < text.length) frame = requestAnimationFrame(step);
    else for (const event of stream.finish()) events.push(event);
    show(events.slice(Math.max(knownCount, events.length - maxShown)));
    if (fedChars === text.length) judge();
  }

  function show(arrived: readonly AnswerEvent[]): void {
    lines = [...lines, ...arrived.map(describe)].slice(-maxShown);
    place.eventList.value = lines.join('\n');
    place.eventList.scrollTop = place.eventList.scrollHeight;
    const hidden = events.length > lines.length ? `, the last ${lines.length} of them shown` : '';
    place.progress.textContent = `${fedChars} of ${text.length} characters, ${events.length} events${hidden}`;
  }

  function judge(): void {
    const isSame = JSON.stringify(foldAnswerEvents(events)) === JSON.stringify(whole);
    place.verdict.textContent = isSame
      ? 'They add up to the result.'
      : 'They DIFFER from the result, which is a fault of the parser: please report it.';
  }

  return () => cancelAnimationFrame(frame);
}

function describe({ type, ...event }: AnswerEvent): string {
  return clipText(`${type} ${JSON.stringify(event)}`, maxLineChars);
}
