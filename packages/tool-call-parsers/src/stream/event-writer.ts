import type { TextWindow } from '../text/text-window.ts';
import type { ParseError, StreamEvent, StreamOptions } from '../tool-call-parser.ts';
import { createCallId } from './call-id.ts';
import type { CallProgress, CompletedCall } from './call-reader.ts';
import type { ContentWriter } from './content-writer.ts';

const noEvents: readonly StreamEvent[] = [];

/** Turns what was read into events, in both commit modes. */
export interface EventWriter {
  /** The call that began at `start` is not complete yet. Eager mode gives what is certain of it. */
  progress(call: CallProgress | undefined, window: TextWindow, start: number): void;
  /** The call is complete. */
  completeCall(call: CompletedCall): void;
  /** The attempt led to no call. `text` is its text up to the fault. */
  failCall(error: ParseError, text: string): void;
  /** The events since the last time. */
  take(): readonly StreamEvent[];
}

/** A writer of one stream's events. Content is taken from `content` so that it comes in order. */
export function createEventWriter(content: ContentWriter, options: StreamOptions): EventWriter {
  const createId = options.idFactory ?? createCallId;
  const usedIds = new Set<string>();
  let events: StreamEvent[] = [];
  /** The id of the next call. It outlives a withdrawn call, so that both commit modes give the same ids. */
  let id = '';
  /** Eager mode: the call that is going on was announced, with so many characters of arguments. */
  let isStarted = false;
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
  function send(name: string, delta: string): void {
    const index = usedIds.size;
    if (!isStarted) {
      id ||= createId() || 'call';
      // A factory may repeat itself; the number of the call tells its ids apart.
      while (usedIds.has(id)) id += `_${index}`;
      push({ type: 'call-start', index, id, name });
    }
    isStarted = true;
    sentLength += delta.length;
    if (delta !== '') push({ type: 'call-arguments', index, delta });
  }

  function withdraw(text: string): void {
    if (isStarted) push({ type: 'call-abort', index: usedIds.size, text });
    isStarted = false;
    isHeld = false;
    sentLength = 0;
  }

  return {
    progress(call, window, start) {
      if (options.commit !== 'eager' || isHeld || !call) return;
      if (call.isRepeated) {
        withdraw(window.slice(start, window.position));
        isHeld = true;
      } else if (call.name !== undefined) send(call.name, call.drainArguments(window));
    },
    completeCall(call) {
      send(call.name, call.arguments.slice(sentLength));
      push({ type: 'call-end', index: usedIds.size, arguments: call.arguments });
      usedIds.add(id);
      id = '';
      isStarted = false;
      withdraw('');
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
