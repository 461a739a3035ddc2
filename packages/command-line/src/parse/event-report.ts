import type { ParseError } from '@talaria/tool-call-parsers';
import type { AnswerEvent } from '@talaria/tool-call-parsers/reasoning';
import { gatherText } from './gather-text.ts';
import { type ErrorRenderOptions, maxShownErrors, renderErrors } from './render-errors.ts';
import { renderEvent } from './render-event.ts';
import { renderTally } from './render-tally.ts';
import { visibleJson } from './visible-text.ts';

/** Turns the events of a stream into lines. */
export interface EventReport {
  /** Hears of the text before its events. */
  addText(text: string): void;
  /** The lines of the events that one piece of the text gave. */
  addPiece(events: readonly AnswerEvent[]): string;
  /** The lines of the events that the end of the text gave, and what follows all events. */
  addEnd(events: readonly AnswerEvent[]): string;
}

/** One JSON object per event and line, nothing else. Keeps nothing. */
export const machineReport: EventReport = {
  addText: () => undefined,
  addPiece: encodeEvents,
  addEnd: encodeEvents,
};

function encodeEvents(events: readonly AnswerEvent[]): string {
  return events.map((event) => `${visibleJson(event)}\n`).join('');
}

/** Numbers the pieces, and shows the errors with their lines at the end; keeps the text for that. */
export function createPeopleReport(options: ErrorRenderOptions): EventReport {
  const gathered = gatherText();
  const firstErrors: ParseError[] = [];
  let pieceCount = 0;
  let callCount = 0;
  let errorCount = 0;

  function show(events: readonly AnswerEvent[], piece: number | 'end'): string {
    return events
      .map((event) => {
        if (event.type === 'call-end') callCount += 1;
        if (event.type === 'error') {
          errorCount += 1;
          if (firstErrors.length < maxShownErrors) firstErrors.push(event.error);
        }
        return renderEvent(event, piece);
      })
      .join('');
  }

  return {
    addText: gathered.add,
    addPiece(events) {
      pieceCount += 1;
      return show(events, pieceCount);
    },
    addEnd(events) {
      const lines = show(events, 'end');
      // Without errors, the text need not be put together.
      const errors = errorCount === 0 ? '' : renderErrors(gathered.join(), firstErrors, options);
      return `${lines}${errors}${renderTally({ callCount, errorCount })}`;
    },
  };
}
