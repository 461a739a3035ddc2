import type { TextWindow } from '../text/text-window.ts';
import type { ParseError, StreamEvent, StreamOptions } from '../tool-call-parser.ts';
import type { CallProgress, CompletedCall } from './answer.ts';
import { createCallId } from './call-id.ts';
import type { ContentWriter } from './content-writer.ts';

const noEvents: readonly StreamEvent[] = [];

/** Turns what was read into events, in both commit modes. */
export interface EventWriter {
  readonly callCount: number;
  /** The call that began at `start` is not complete yet. Eager mode gives what is certain of it. */
  progress(call: CallProgress, window: TextWindow, start: number): void;
  /** The call is complete. */
  completeCall(call: CompletedCall): void;
  /** The attempt led to no call. `text` is its text up to the fault. */
  failCall(error: ParseError, text: string): void;
  /** The events since the last time. */
  take(): readonly StreamEvent[];
}

/** A writer of one stream's events. Content is taken from `content` so that it comes in order. */
export function createEventWriter(
  content: ContentWriter,
  options: StreamOptions,
  createDefaultId: () => string = createCallId,
): EventWriter {
  const createId = options.idFactory ?? createDefaultId;
  const usedIds = new Set<string>();
  let events: StreamEvent[] = [];
  /** The id of the next call. It outlives a withdrawn call, so that both commit modes give the same ids. */
  let nextId = '';
  /** Eager mode: the id of the call that is going on and was announced, with so many characters of arguments. */
  let startedId = '';
  let sentLength = 0;
  /** Eager mode: the call contradicted itself; it waits until it is complete. */
  let isHeld = false;

  function push(event: StreamEvent): void {
    pushContent();
    events.push(event);
  }

  function pushContent(): void {
    const text = content.take();
    if (text !== '') events.push({ type: 'content', text });
  }

  /** Announces the call where that was not done, and gives more of its arguments. */
  function send(name: string, givenId: string | undefined, delta: string): void {
    const index = usedIds.size;
    if (startedId === '') {
      if (!givenId) nextId ||= createId() || 'call';
      startedId = givenId || nextId;
      // A factory may repeat itself; the number of the call tells its ids apart.
      while (usedIds.has(startedId)) startedId += `_${index}`;
      push({ type: 'call-start', index, id: startedId, name });
    }
    sentLength += delta.length;
    if (delta !== '') push({ type: 'call-arguments', index, delta });
  }

  function reset(): void {
    startedId = '';
    isHeld = false;
    sentLength = 0;
  }

  function withdraw(text: string): void {
    if (startedId !== '') push({ type: 'call-abort', index: usedIds.size, text });
    reset();
  }

  return {
    get callCount() {
      return usedIds.size;
    },
    progress(call, window, start) {
      if (isHeld) return;
      if (call.isRepeated) {
        withdraw(window.slice(start, window.position));
        isHeld = true;
      } else if (call.name !== undefined) send(call.name, call.id, call.drainArguments(window));
    },
    completeCall(call) {
      send(call.name, call.id, call.arguments.slice(sentLength));
      push({ type: 'call-end', index: usedIds.size, arguments: call.arguments });
      if (!call.id) nextId = '';
      usedIds.add(startedId);
      reset();
      content.endCall();
    },
    failCall(error, text) {
      withdraw(text);
      push({ type: 'error', error });
    },
    take() {
      pushContent();
      if (events.length === 0) return noEvents;
      const taken = events;
      events = [];
      return taken;
    },
  };
}
