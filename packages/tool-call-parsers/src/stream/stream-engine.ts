import { ParserError } from '../parser-errors.ts';
import { TextWindow } from '../text/text-window.ts';
import { noToken, partialToken, TokenTable } from '../text/token-table.ts';
import { skipWhiteSpace } from '../text/white-space.ts';
import type { StreamEvent, StreamOptions, StreamParser } from '../tool-call-parser.ts';
import type { CallFormat } from './call-format.ts';
import type { CallReader, CompletedCall, Fault } from './call-reader.ts';
import { ContentWriter } from './content-writer.ts';
import { endOfTurnTokens } from './end-of-turn.ts';
import { EventWriter } from './event-writer.ts';

/** The tokens that matter outside calls: the format's start markers, and those that end a turn. */
export function createTextTokens(format: CallFormat): TokenTable {
  return new TokenTable([...format.startMarkers, ...endOfTurnTokens]);
}

/**
 * Reads one answer. Outside calls it looks for tokens; behind a start marker the format's reader decides. After a
 * failed attempt the text behind the marker is read again as text, so every character is visited a small constant
 * number of times: a marker inside a failed attempt can only have stood in one of its strings.
 */
export class StreamEngine implements StreamParser {
  readonly #format: CallFormat;
  readonly #tokens: TokenTable;
  readonly #window: TextWindow = new TextWindow();
  readonly #content: ContentWriter = new ContentWriter();
  readonly #events: EventWriter;
  #reader: CallReader | undefined;
  #state: 'text' | 'call' | 'turn-end' | 'given-up' | 'finished' = 'text';
  #attemptStart = 0;
  /** State `turn-end`: the fault that stands unless nothing but end-of-turn tokens follows it. */
  #openFault: Fault | undefined;
  /** First half of a surrogate pair at the end of the last delta. */
  #half = '';

  constructor(format: CallFormat, tokens: TokenTable, options: StreamOptions) {
    this.#format = format;
    this.#tokens = tokens;
    this.#events = new EventWriter(this.#content, options);
  }

  feed(delta: string): readonly StreamEvent[] {
    this.#refuseIfFinished();
    const text = this.#half === '' ? delta : this.#half + delta;
    this.#half = isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.slice(-1) : '';
    this.#window.append(this.#half === '' ? text : text.slice(0, -1));
    this.#run(false);
    return this.#events.take();
  }

  finish(reason?: 'stop' | 'length'): readonly StreamEvent[] {
    this.#refuseIfFinished();
    if (reason !== undefined) this.#events.finishReason = reason;
    this.#window.append(this.#half);
    this.#run(true);
    this.#content.write(this.#window.source, this.#window.index, this.#window.source.length);
    this.#content.finish();
    this.#state = 'finished';
    return this.#events.take();
  }

  #run(isLast: boolean): void {
    try {
      while (this.#step() || (isLast && this.#endAttempt()));
    } catch (error) {
      this.#giveUp(error);
    }
  }

  /** Reads as far as one state goes. Whether there may be more to read. */
  #step(): boolean {
    switch (this.#state) {
      case 'text':
        return this.#readText();
      case 'call':
        return this.#readCall();
      case 'turn-end':
        return this.#readTurnEnd();
      default:
        this.#content.write(this.#window.source, this.#window.index, this.#window.source.length);
        this.#window.index = this.#window.source.length;
        return false;
    }
  }

  #readText(): boolean {
    const window = this.#window;
    const { source } = window;
    let from = window.index;
    for (;;) {
      const at = this.#tokens.findCandidate(source, from);
      const place = this.#tokens.match(source, at);
      if (place === noToken && at < source.length) {
        from = at + 1;
        continue;
      }
      this.#content.write(source, window.index, at);
      window.index = at;
      const token = this.#tokens.tokens[place];
      if (token === undefined) return false;
      from = at + token.length;
      window.index = from;
      if (this.#format.startMarkers.includes(token)) return this.#beginAttempt(token);
      this.#content.writeEndOfTurn(token);
    }
  }

  #beginAttempt(marker: string): true {
    this.#attemptStart = this.#window.position - marker.length;
    this.#window.keepFrom(this.#attemptStart);
    this.#content.beginAttempt();
    this.#reader ??= this.#format.createReader();
    this.#reader.begin(this.#window, marker);
    this.#state = 'call';
    return true;
  }

  #readCall(): boolean {
    const reader = this.#reader;
    if (reader === undefined) return false;
    const outcome = reader.read(this.#window);
    if (outcome === 'more') {
      this.#events.progress(reader, this.#window, this.#attemptStart);
      return false;
    }
    this.#judge(outcome);
    return true;
  }

  #judge(outcome: CompletedCall | Fault): void {
    if (outcome.kind === 'call') {
      this.#events.completeCall(outcome);
      this.#window.rewind(outcome.end);
      this.#state = 'text';
    } else if (outcome.isOpen) {
      this.#openFault = outcome;
      this.#state = 'turn-end';
    } else {
      this.#fail(outcome);
    }
  }

  /** Behind a fault: nothing but end-of-turn tokens up to the end of the text means that the text ended at the fault. */
  #readTurnEnd(): boolean {
    const window = this.#window;
    for (;;) {
      window.index = skipWhiteSpace(window.source, window.index);
      if (window.index === window.source.length) return false;
      const place = this.#tokens.match(window.source, window.index);
      if (place === partialToken) return false;
      const token = this.#tokens.tokens[place];
      if (token === undefined || this.#format.startMarkers.includes(token)) {
        if (this.#openFault !== undefined) this.#fail(this.#openFault);
        return true;
      }
      window.index += token.length;
    }
  }

  /** The text is over: decides the attempt that is going on. Whether there was one. */
  #endAttempt(): boolean {
    const window = this.#window;
    if (this.#reader === undefined || (this.#state !== 'call' && this.#state !== 'turn-end')) return false;
    if (this.#state === 'turn-end' && this.#openFault !== undefined) {
      if (window.index < window.source.length) {
        this.#fail(this.#openFault);
        return true;
      }
      window.cut(this.#openFault.at);
    }
    this.#judge(this.#reader.finish(window));
    return true;
  }

  /** The attempt led to no call: its text, up to where the search goes on, is content. */
  #fail(fault: Fault): void {
    this.#events.failCall(fault, this.#window, this.#attemptStart);
    const text = this.#window.slice(this.#attemptStart, fault.resumeAt);
    this.#content.write(text, 0, text.length);
    this.#window.rewind(fault.resumeAt);
    this.#state = 'text';
  }

  /** A fault of this program or of the caller's id factory must not lose text: what is left becomes content. */
  #giveUp(error: unknown): void {
    const from = this.#state === 'text' ? this.#window.position : this.#attemptStart;
    this.#events.failAll(error, from, this.#window.slice(from, this.#window.end));
    this.#window.rewind(from);
    this.#state = 'given-up';
    this.#step();
  }

  #refuseIfFinished(): void {
    if (this.#state !== 'finished') return;
    throw new ParserError('The stream was finished already', {
      code: 'parser.finished',
      hint: 'Open a new stream for each answer of the model.',
    });
  }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
