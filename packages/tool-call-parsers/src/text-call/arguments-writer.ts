import type { CallProgress, CompletedCall } from '../stream/answer.ts';
import { escapeText } from '../text/escape-text.ts';

/** Writes the arguments of a call whose format gives them one by one: `{"key": value, "other": value}`. */
export interface ArgumentsWriter extends CallProgress {
  name: string | undefined;
  id?: string | undefined;
  /** Begins the argument of that name. */
  key(key: string): void;
  /** Adds JSON text to it. */
  json(json: string): void;
  /** Adds to it a stretch of what stands within the quotes of a string. */
  text(text: string): void;
  /** The call, its arguments closed. */
  finish(): CompletedCall;
}

/** A writer for one call. */
export function createArgumentsWriter(): ArgumentsWriter {
  let all = '';
  let pending = '';
  const writer: ArgumentsWriter = {
    name: undefined,
    key(key) {
      writer.json(`${all ? ', ' : '{'}${JSON.stringify(key)}: `);
    },
    json(json) {
      all += json;
      pending += json;
    },
    text(text) {
      writer.json(escapeText(text));
    },
    drainArguments() {
      const drained = pending;
      pending = '';
      return drained;
    },
    finish() {
      writer.json(all ? '}' : '{}');
      return { name: writer.name ?? '', arguments: all, id: writer.id };
    },
  };
  return writer;
}
