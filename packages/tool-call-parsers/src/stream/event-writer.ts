import type { TextWindow } from '../text/text-window.ts';
import type { ParseErrorKind, StreamEvent, StreamOptions } from '../tool-call-parser.ts';
import { CallIds } from './call-ids.ts';
import type { CallReader, CompletedCall, Fault } from './call-reader.ts';
import type { ContentWriter } from './content-writer.ts';

const noEvents: readonly StreamEvent[] = /* @__PURE__ */ Object.freeze([]);

/** Turns what was read into events, in both commit modes. */
export class EventWriter {
  /** Why the model stopped, for messages. */
  finishReason: 'stop' | 'length' | undefined;
  readonly #content: ContentWriter;
  readonly #isEager: boolean;
  readonly #ids: CallIds;
  #events: StreamEvent[] | undefined;
  /** Calls that were completed: the number of the next one. */
  #callCount = 0;
  /** Eager mode: the call that is going on was announced, with so many characters of arguments. */
  #isStarted = false;
  #sentLength = 0;
  /** Eager mode: the call contradicted itself; it waits until it is complete. */
  #isHeld = false;

  constructor(content: ContentWriter, options: StreamOptions) {
    this.#content = content;
    this.#isEager = options.commit === 'eager';
    this.#ids = new CallIds(options.idFactory);
    this.finishReason = options.finishReason;
  }

  /** The call is not complete yet. Eager mode gives what is certain of it. */
  progress(reader: CallReader, window: TextWindow, start: number): void {
    if (!this.#isEager || this.#isHeld) return;
    if (reader.isContradicted) {
      this.#withdraw(window.slice(start, window.position));
      this.#isHeld = true;
      return;
    }
    if (!this.#isStarted) {
      if (reader.name === undefined) return;
      this.#start(reader.name);
    }
    this.#sendArguments(reader.drainArguments(window));
  }

  /** The call is complete. */
  completeCall(call: CompletedCall): void {
    if (this.#isStarted && !this.#isHeld) this.#sendArguments(call.arguments.slice(this.#sentLength));
    else {
      this.#start(call.name);
      this.#sendArguments(call.arguments);
    }
    this.#push({ type: 'call-end', index: this.#callCount, arguments: call.arguments });
    this.#callCount += 1;
    this.#ids.use();
    this.#reset();
    this.#content.endCall();
  }

  /** The attempt that began at `start` is no call. */
  failCall(fault: Fault, window: TextWindow, start: number): void {
    this.#withdraw(window.slice(start, fault.at));
    this.#reset();
    const message = `No tool call at offset ${start}: ${fault.message} ${this.#describePlace(fault, window)}`;
    this.#pushError(fault.error, start, fault.at, message);
  }

  /** Nothing can be read any more from `from` on. */
  failAll(error: unknown, from: number, text: string): void {
    this.#withdraw(text);
    this.#reset();
    this.#pushError('internal', from, from, `Reading stopped at offset ${from}: ${String(error)}`);
  }

  /** The events since the last time. */
  take(): readonly StreamEvent[] {
    this.#flushContent();
    const events = this.#events ?? noEvents;
    this.#events = undefined;
    return events;
  }

  #describePlace(fault: Fault, window: TextWindow): string {
    const isCut = fault.error === 'truncated' && this.finishReason === 'length';
    const found = fault.isOpen ? window.slice(fault.at, fault.at + 2).codePointAt(0) : undefined;
    const ending = isCut ? ' (the reply reached its length limit)' : '';
    return `at offset ${fault.at}${found === undefined ? ending : `, found ${JSON.stringify(String.fromCodePoint(found))}`}`;
  }

  #start(name: string): void {
    this.#push({ type: 'call-start', index: this.#callCount, id: this.#ids.reserve(), name });
    this.#isStarted = true;
    this.#sentLength = 0;
  }

  #sendArguments(delta: string): void {
    if (delta === '') return;
    this.#sentLength += delta.length;
    this.#push({ type: 'call-arguments', index: this.#callCount, delta });
  }

  #withdraw(text: string): void {
    if (this.#isStarted) this.#push({ type: 'call-abort', index: this.#callCount, text });
    this.#isStarted = false;
  }

  #reset(): void {
    this.#isStarted = false;
    this.#isHeld = false;
    this.#sentLength = 0;
  }

  #pushError(kind: ParseErrorKind, start: number, end: number, message: string): void {
    this.#push({ type: 'error', error: { kind, start, end, message } });
  }

  #push(event: StreamEvent): void {
    this.#flushContent();
    this.#events ??= [];
    this.#events.push(event);
  }

  #flushContent(): void {
    const text = this.#content.take();
    if (text === '') return;
    this.#events ??= [];
    this.#events.push({ type: 'content', text });
  }
}
