import type { JsonObject, JsonValue } from '@talaria/core';
import type { ModalStatus } from './call-error.ts';

/** A call that the double received. */
export interface ModalCall {
  readonly method: string;
  /** The request with the names of the wire, bytes as their number. A stream of requests is one object, bytes added up. */
  readonly request: JsonObject;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** `pending` until it is answered; `CANCELLED` where the client went away or its own deadline passed. */
  readonly outcome: 'pending' | 'OK' | ModalStatus;
}

/** All calls, in the order of their arrival. */
export interface CallLog {
  readonly calls: readonly ModalCall[];
  /** Notes a call; the returned function notes its end, once. */
  begin(method: string, request: JsonObject, at: number): (outcome: 'OK' | ModalStatus) => void;
  /** Resolves when so many calls of a method have arrived since the start. */
  whenCalls(method: string, count: number): Promise<void>;
}

/** Creates an empty log. */
export function createCallLog(): CallLog {
  const calls: ModalCall[] = [];
  const watchers = new Set<() => void>();
  return {
    calls,
    begin(method, request, at) {
      const index = calls.push({ method, request, at, outcome: 'pending' }) - 1;
      for (const look of [...watchers]) look();
      let isOver = false;
      return (outcome) => {
        if (!isOver) calls[index] = { method, request, at, outcome };
        isOver = true;
      };
    },
    whenCalls(method, count) {
      return new Promise((resolve) => {
        const look = (): void => {
          if (calls.filter((call) => call.method === method).length < count) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      });
    },
  };
}

/** A request as JSON, with the number of bytes in place of bytes. */
export function summarize(message: object): JsonObject {
  return Object.fromEntries(Object.entries(message).map(([name, value]) => [name, summarizeValue(value)]));
}

function summarizeValue(value: unknown): JsonValue {
  if (value instanceof Uint8Array) return value.length;
  if (Array.isArray(value)) return value.map(summarizeValue);
  if (typeof value === 'object' && value !== null) return summarize(value);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}
