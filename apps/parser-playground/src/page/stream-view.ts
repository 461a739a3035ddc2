import { type AnswerEvent, type AnswerResult, type AnswerStream, foldAnswerEvents } from '@talaria/tool-call-parsers';
import { clipText } from './clip-text.ts';
import { streamText } from './stream-text.ts';

/** Most events that are shown at a time, the last of all, and the longest line of one. */
const maxShown = 200;
const maxLineChars = 300;

/** Where a stream is shown. */
export interface StreamPlace {
  readonly events: HTMLTextAreaElement;
  readonly progress: HTMLElement;
}

/** What is streamed. */
export interface StreamedText {
  readonly stream: AnswerStream;
  readonly text: string;
  readonly deltaLength: number;
  /** What the whole text gave, which the stream has to give too. */
  readonly whole: AnswerResult;
}

/** Shows the events of a stream as they come, and at the end whether they add up. Gives a function that stops it. */
export function showStream({ whole, ...streamed }: StreamedText, place: StreamPlace): () => void {
  const events: AnswerEvent[] = [];
  let lines: readonly string[] = [];
  return streamText({
    ...streamed,
    onEvents(arrived, fedChars) {
      for (const event of arrived) events.push(event);
      lines = [...lines, ...arrived.slice(-maxShown).map(describe)].slice(-maxShown);
      place.events.value = lines.join('\n');
      place.events.scrollTop = place.events.scrollHeight;
      const hidden = events.length > lines.length ? `, the last ${lines.length} of them shown` : '';
      place.progress.textContent = `${fedChars} of ${streamed.text.length} characters, ${events.length} events${hidden}`;
    },
    onEnd() {
      const isSame = JSON.stringify(foldAnswerEvents(events)) === JSON.stringify(whole);
      place.progress.append(
        isSame ? '. They add up to the result.' : '. They DIFFER from the result: please report it.',
      );
    },
  });
}

function describe({ type, ...event }: AnswerEvent): string {
  return clipText(`${type} ${JSON.stringify(event)}`, maxLineChars);
}
