import { ParserError } from '../parser-errors.ts';
import { TextWindow } from '../text/text-window.ts';
import { noToken, type TokenTable } from '../text/token-table.ts';
import type { ParseErrorKind, StreamEvent, StreamOptions, StreamParser } from '../tool-call-parser.ts';
import type { CallFormat } from './call-format.ts';
import type { CallReader, CompletedCall, Fault } from './call-reader.ts';
import { ContentWriter } from './content-writer.ts';
import { EventWriter } from './event-writer.ts';
import { TurnEndFilter } from './turn-end-filter.ts';

/** What began at a start marker and may become a call. */
interface Attempt {
  /** Position of the marker. */
  readonly start: number;
  readonly reader: CallReader;
}

/**
 * Reads one answer. Outside calls it looks for tokens; behind a start marker the format's reader decides. After a
 * failed attempt the text behind the marker is read again as text, so every character is visited a small constant
 * number of times: a marker inside a failed attempt can only have stood in one of its strings.
 */
export class StreamEngine implements StreamParser {
  readonly #format: CallFormat;
  readonly #markers: TokenTable;
  readonly #filter: TurnEndFilter = new TurnEndFilter();
  readonly #window: TextWindow = new TextWindow();
  readonly #content: ContentWriter = new ContentWriter();
  readonly #events: EventWriter;
  #finishReason: 'stop' | 'length' | undefined;
  #attempt: Attempt | undefined;
  #isGivenUp = false;
  #isFinished = false;

  constructor(format: CallFormat, markers: TokenTable, options: StreamOptions) {
    this.#format = format;
    this.#markers = markers;
    this.#finishReason = options.finishReason;
    this.#events = new EventWriter(this.#content, options);
  }

  feed(delta: string): readonly StreamEvent[] {
    return this.#read(this.#filter.push(delta), false);
  }

  finish(reason?: 'stop' | 'length'): readonly StreamEvent[] {
    this.#finishReason = reason ?? this.#finishReason;
    return this.#read(this.#filter.finish(), true);
  }

  #read(delta: string, isLast: boolean): readonly StreamEvent[] {
    if (this.#isFinished) {
      const hint = 'Open a new stream for each answer of the model.';
      throw new ParserError('The stream was finished already', { code: 'parser.finished', hint });
    }
    this.#isFinished = isLast;
    this.#window.append(delta);
    try {
      while (this.#step(isLast));
    } catch (error) {
      this.#giveUp(error);
    }
    if (isLast) {
      this.#writeText(this.#window.source.length);
      this.#content.finish();
    }
    return this.#events.take();
  }

  /** Reads text up to a marker, or an attempt up to its outcome. Whether there may be more to read. */
  #step(isLast: boolean): boolean {
    const window = this.#window;
    const attempt = this.#attempt;
    if (attempt === undefined) return this.#readText();
    const outcome = attempt.reader.read(window);
    if (outcome !== 'more') this.#judge(attempt, outcome);
    else if (isLast) this.#judge(attempt, attempt.reader.finish(window));
    else this.#events.progress(attempt.reader.progress, window, attempt.start);
    return outcome !== 'more' || isLast;
  }

  #readText(): boolean {
    const window = this.#window;
    const { source } = window;
    let at = this.#isGivenUp ? source.length : this.#markers.findCandidate(source, window.index);
    let place = this.#markers.match(source, at);
    while (place === noToken && at < source.length) {
      at = this.#markers.findCandidate(source, at + 1);
      place = this.#markers.match(source, at);
    }
    this.#writeText(at);
    const marker = this.#markers.tokens[place];
    if (marker === undefined) return false;
    const start = window.position;
    window.keepFrom(start);
    window.index += marker.length;
    this.#attempt = { start, reader: this.#format.createReader(window.position, marker) };
    return true;
  }

  #writeText(to: number): void {
    this.#content.write(this.#window.source, this.#window.index, to);
    this.#window.index = to;
  }

  #judge(attempt: Attempt, outcome: CompletedCall | Fault): void {
    if (outcome.kind === 'call') {
      this.#events.completeCall(outcome);
      this.#leave(outcome.end);
    } else this.#fail(attempt, outcome);
  }

  /** The attempt led to no call: its text, up to where the search goes on, is content. */
  #fail({ start }: Attempt, { error, at, message, resumeAt, found }: Fault): void {
    const window = this.#window;
    const isCut = error === 'truncated' && this.#finishReason === 'length';
    const ending = found === undefined ? '' : `, found ${JSON.stringify(found)}`;
    const place = `at offset ${at}${isCut ? ' (the reply reached its length limit)' : ending}`;
    this.#report(error, start, at, `No tool call at offset ${start}: ${message} ${place}`);
    const text = window.slice(start, resumeAt);
    this.#content.write(text, 0, text.length);
    this.#leave(resumeAt);
  }

  /** A fault of this program or of the caller's id factory must not lose text: what is left becomes content. */
  #giveUp(error: unknown): void {
    const start = this.#attempt?.start ?? this.#window.position;
    this.#report('internal', start, start, `Reading stopped at offset ${start}: ${String(error)}`);
    this.#isGivenUp = true;
    this.#leave(start);
    this.#readText();
  }

  #report(kind: ParseErrorKind, start: number, end: number, message: string): void {
    this.#events.failCall({ kind, start, end, message }, this.#window.slice(start, end));
  }

  /** Goes on with text at `position`. */
  #leave(position: number): void {
    this.#window.rewind(position);
    this.#attempt = undefined;
  }
}
