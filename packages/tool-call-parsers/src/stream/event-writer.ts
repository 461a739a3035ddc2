import type { TextWindow } from '../text/text-window.ts';
import { contentEnd, skipWhiteSpace } from '../text/white-space.ts';
import type { ParseError, StreamEvent, StreamOptions } from '../tool-call-parser.ts';
import type { CallProgress, CompletedCall } from './answer.ts';
import { createCallId } from './call-id.ts';

/**
 * Turns what was read into events, in both commit modes. It decides which of the text outside calls is content: white
 * space next to calls is not, and what lies between calls is joined by line feeds. It holds back white space that may
 * still vanish, nothing else.
 */
export interface EventWriter {
  readonly callCount: number;
  /** Nothing but white space was written since the last call. */
  readonly isAfterCall: boolean;
  /** Text that is part of no call. */
  text(text: string): void;
  /** The text that follows is a part of its own: a line feed joins it, and white space before it is no content. */
  join(): void;
  /** The call that began at `start` is not complete yet. Eager mode gives what is certain of it. */
  progress(call: CallProgress, window: TextWindow, start: number): void;
  /** The call is complete. */
  call(call: CompletedCall): void;
  /** The attempt led to no call. `text` is its text up to the fault. */
  fail(error: ParseError, text: string): void;
  /** The text is over. */
  finish(): void;
  /** The events since the last time. */
  take(): readonly StreamEvent[];
}

/** A writer of one stream's events. */
export function createEventWriter(options: StreamOptions, createDefaultId: () => string = createCallId): EventWriter {
  const createId = options.idFactory ?? createDefaultId;
  const usedIds = new Set<string>();
  let events: StreamEvent[] = [];
  /** Content that is no event yet. */
  let content = '';
  /** White space that content, a call or nothing follows. */
  let space = '';
  /** The white space before the part that began last, until the part has content. */
  let joint: string | undefined;
  let hasContent = false;
  let isAfterCall = false;
  /** The id of the next call. It outlives a withdrawn call, so that both commit modes give the same ids. */
  let nextId = '';
  /** Eager mode: the id of the call that is going on and was announced, with so many characters of arguments. */
  let startedId = '';
  let sentLength = 0;
  /** Eager mode: the call contradicted itself; it waits until it is complete. */
  let isHeld = false;

  function push(event?: StreamEvent): void {
    if (content) events.push({ type: 'content', text: content });
    content = '';
    if (event) events.push(event);
  }

  /** Announces the call where that was not done, and gives more of its arguments. */
  function send({ name, id }: CallProgress | CompletedCall, delta: string): void {
    const index = usedIds.size;
    if (!startedId) {
      // The model may repeat itself, and its ids may have a form that no suffix fits.
      const isNew = !id || usedIds.has(id);
      if (isNew) nextId ||= createId() || 'call';
      startedId = isNew ? nextId : id;
      // A factory may repeat itself; the number of the call tells its ids apart.
      while (usedIds.has(startedId)) startedId += `_${index}`;
      push({ type: 'call-start', index, id: startedId, name: name ?? '' });
    }
    sentLength += delta.length;
    if (delta) push({ type: 'call-arguments', index, delta });
  }

  function withdraw(text: string): void {
    if (startedId) push({ type: 'call-abort', index: usedIds.size, text });
    startedId = '';
    sentLength = 0;
    isHeld = false;
  }

  return {
    get callCount() {
      return usedIds.size;
    },
    get isAfterCall() {
      return isAfterCall;
    },
    text(text) {
      const start = isAfterCall ? skipWhiteSpace(text, 0) : 0;
      const end = contentEnd(text, start, text.length);
      if (end > start) {
        if (hasContent && (isAfterCall || joint !== undefined)) content += '\n';
        content += space + text.slice(start, end);
        space = '';
        joint = undefined;
        hasContent = true;
        isAfterCall = false;
      }
      space += text.slice(end);
    },
    join() {
      joint ??= space;
      space = '';
    },
    progress(call, window, start) {
      if (isHeld || call.name === undefined) return;
      isHeld = call.isRepeated === true;
      if (!isHeld) send(call, call.drainArguments(window));
      else {
        withdraw(window.slice(start, window.position));
        isHeld = true;
      }
    },
    call(call) {
      send(call, call.arguments.slice(sentLength));
      push({ type: 'call-end', index: usedIds.size, arguments: call.arguments });
      usedIds.add(startedId);
      if (startedId === nextId) nextId = '';
      startedId = '';
      withdraw('');
      space = '';
      isAfterCall = true;
    },
    fail(error, text) {
      withdraw(text);
      push({ type: 'error', error });
    },
    finish() {
      if (usedIds.size === 0) content += joint ?? space;
    },
    take() {
      push();
      const taken = events;
      events = [];
      return taken;
    },
  };
}
