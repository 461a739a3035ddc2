import type { TextWindow } from '../text/text-window.ts';
import type { ParseError, StreamEvent, StreamOptions } from '../tool-call-parser.ts';
import { CallIds } from './call-ids.ts';
import type { CallProgress, CompletedCall } from './call-reader.ts';
import type { ContentWriter } from './content-writer.ts';

const noEvents: readonly StreamEvent[] = [];

/** Turns what was read into events, in both commit modes. */
export class EventWriter {
  readonly #content: ContentWriter;
  readonly #isEager: boolean;
  readonly #ids: CallIds;
  #events: StreamEvent[] = [];
  /** Calls that were completed: the number of the next one. */
  #index = 0;
  /** Eager mode: the call that is going on was announced, with so many characters of arguments. */
  #isStarted = false;
  #sentLength = 0;
  /** Eager mode: the call contradicted itself; it waits until it is complete. */
  #isHeld = false;

  constructor(content: ContentWriter, options: StreamOptions) {
    this.#content = content;
    this.#isEager = options.commit === 'eager';
    this.#ids = new CallIds(options.idFactory);
  }

  /** The call is not complete yet. Eager mode gives what is certain of it. */
  progress(call: CallProgress, window: TextWindow, start: number): void {
    if (!this.#isEager || this.#isHeld) return;
    if (call.isContradicted) {
      this.#withdraw(window.slice(start, window.position));
      this.#isHeld = true;
    } else if (call.name !== undefined) this.#send(call.name, call.drainArguments(window));
  }

  /** The call is complete. */
  completeCall(call: CompletedCall): void {
    this.#send(call.name, call.arguments.slice(this.#sentLength));
    this.#push({ type: 'call-end', index: this.#index, arguments: call.arguments });
    this.#ids.use();
    this.#index += 1;
    this.#isStarted = false;
    this.#withdraw('');
    this.#content.endCall();
  }

  /** The attempt led to no call. `text` is its text up to the fault. */
  failCall(error: ParseError, text: string): void {
    this.#withdraw(text);
    this.#push({ type: 'error', error });
  }

  /** The events since the last time. */
  take(): readonly StreamEvent[] {
    this.#pushContent();
    if (this.#events.length === 0) return noEvents;
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** Announces the call where that was not done, and gives more of its arguments. */
  #send(name: string, delta: string): void {
    const index = this.#index;
    if (!this.#isStarted) this.#push({ type: 'call-start', index, id: this.#ids.reserve(), name });
    this.#isStarted = true;
    this.#sentLength += delta.length;
    if (delta !== '') this.#push({ type: 'call-arguments', index, delta });
  }

  #withdraw(text: string): void {
    if (this.#isStarted) this.#push({ type: 'call-abort', index: this.#index, text });
    this.#isStarted = false;
    this.#isHeld = false;
    this.#sentLength = 0;
  }

  #push(event: StreamEvent): void {
    this.#pushContent();
    this.#events.push(event);
  }

  #pushContent(): void {
    const text = this.#content.take();
    if (text !== '') this.#events.push({ type: 'content', text });
  }
}
