import type { TextWindow } from '../text/text-window.ts';
import { contentEnd, skipWhiteSpace } from '../text/white-space.ts';
import type { StreamEvent, StreamOptions } from '../tool-call-parser.ts';
import type { Answer, CallProgress, CompletedCall } from './answer.ts';
import { createCallId } from './call-id.ts';

/** How many faults of one answer are told. A text may be made of nothing else. */
const maximumErrors = 1000;

/** What goes before the reason of a fault. */
const leads: Readonly<Record<string, string>> = {
  'bad-json': 'not JSON, expected ',
  'bad-structure': 'expected ',
  truncated: 'the text ended, expected ',
};

/**
 * Turns what a grammar says into events, in both commit modes. It decides which of the text outside calls is content:
 * white space next to calls is not, and what lies between calls is joined by line feeds. It holds back white space that
 * may still vanish, nothing else.
 */
export interface AnswerWriter extends Answer {
  /** Whether a call is being read. */
  isOpen: boolean;
  /** Why the model stopped, where that is known. */
  finishReason: StreamOptions['finishReason'];
  /** For eager mode: gives what is certain of the call that is being read. */
  showProgress(): void;
  /** The events since the last time, which may be the last ones. */
  take(isLast: boolean): readonly StreamEvent[];
}

/** A writer of one stream's events. `shapeId` gives ids the form that the format's models demand. */
export function createAnswerWriter(
  window: TextWindow,
  options: StreamOptions,
  shapeId: (id: string) => string = (id) => id,
): AnswerWriter {
  const { idFactory = createCallId } = options;
  const usedIds = new Set<string>();
  let events: StreamEvent[] = [];
  let errorCount = 0;
  /** Content that is no event yet. */
  let content = '';
  /** White space that content, a call or nothing follows. */
  let space = '';
  /** The white space before the part that began last, until the part has content. A call has none. */
  let joint: string | undefined;
  let hasContent = false;
  /** Where the call that is being read begins. */
  let openFrom = 0;
  let progress: CallProgress | undefined;
  /** The id of the next call. It outlives a withdrawn call, so that both commit modes give the same ids. */
  let nextId = '';
  /** The id of the call that is going on and was announced, with so many characters of arguments. */
  let startedId = '';
  let sentLength = 0;

  function push(event?: StreamEvent): void {
    if (content) events.push({ type: 'content', text: content });
    content = '';
    if (event) events.push(event);
  }

  /** Announces the call where that was not done, and gives more of its arguments. */
  function send({ name = '', id }: CallProgress | CompletedCall, delta: string): void {
    const index = usedIds.size;
    if (!startedId) {
      // The model may repeat itself, and its ids may have a form that no suffix fits.
      if (id && !usedIds.has(id)) startedId = id;
      else {
        nextId ||= shapeId(`${idFactory() || 'call'}`);
        startedId = nextId;
      }
      // A factory may repeat itself; the number of the call tells its ids apart.
      while (usedIds.has(startedId)) startedId = shapeId(`${startedId}_${index}`);
      push({ type: 'call-start', index, id: startedId, name });
    }
    sentLength += delta.length;
    if (delta) push({ type: 'call-arguments', index, delta });
  }

  /** What was told of the call that is being read, up to `end`, is taken back. */
  function withdraw(end: number): void {
    if (startedId) push({ type: 'call-abort', index: usedIds.size, text: window.slice(openFrom, end) });
    startedId = '';
    sentLength = 0;
  }

  const answer: AnswerWriter = {
    window,
    options,
    isOpen: false,
    isAfterCall: false,
    finishReason: options.finishReason,
    text(to) {
      const text = window.slice(window.keptFrom, to);
      const start = answer.isAfterCall ? skipWhiteSpace(text, 0) : 0;
      const end = contentEnd(text, start);
      if (end > start) {
        if (hasContent && joint !== undefined) content += '\n';
        content += space + text.slice(start, end);
        space = '';
        joint = undefined;
        hasContent = true;
        answer.isAfterCall = false;
      }
      space += text.slice(end);
      answer.skip(to);
    },
    skip(to) {
      window.keptFrom = to;
    },
    join() {
      joint ??= space;
      space = '';
    },
    open(start, shown) {
      answer.isOpen = true;
      openFrom = start;
      progress = shown;
    },
    call(call) {
      // It may have repeated something and ended within one delta.
      if (progress?.isRepeated) withdraw(window.position);
      send(call, call.arguments.slice(sentLength));
      push({ type: 'call-end', index: usedIds.size, arguments: call.arguments });
      usedIds.add(startedId);
      if (startedId === nextId) nextId = '';
      startedId = '';
      sentLength = 0;
      joint = '';
      space = '';
      answer.isAfterCall = true;
      answer.isOpen = false;
      answer.skip(window.position);
    },
    fail(kind, reason, resumeAt) {
      const isCut = kind === 'truncated';
      const end = isCut ? window.end : window.position;
      const start = answer.isOpen ? openFrom : end;
      // The first code point, not the first half of one.
      const [found] = window.source.slice(window.index, window.index + 2);
      const lead = leads[kind];
      let message = `No tool call: ${lead ?? ''}${reason} at offset ${end}`;
      if (isCut && answer.finishReason === 'length') message += ' (length limit)';
      else if (!isCut && lead && found) message += `, found ${JSON.stringify(found)}`;
      withdraw(end);
      errorCount += 1;
      if (errorCount <= maximumErrors) push({ type: 'error', error: { kind, start, end, message } });
      answer.isOpen = false;
      answer.text(resumeAt);
      window.rewind(resumeAt);
    },
    showProgress() {
      if (!answer.isOpen || !progress?.name) return;
      // A call that contradicts itself waits until it is complete.
      if (progress.isRepeated) withdraw(window.position);
      else send(progress, progress.drainArguments(window));
    },
    take(isLast) {
      if (isLast && usedIds.size === 0) content += joint ?? space;
      push();
      const taken = events;
      events = [];
      return taken;
    },
  };
  return answer;
}
