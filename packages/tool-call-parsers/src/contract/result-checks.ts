import type { ParseResult } from '../tool-call-parser.ts';
import { demand, show } from './contract-case.ts';
import { isPlainObject, isSameJson } from './json-value.ts';
import type { ToolCallVector } from './tool-call-vector.ts';

/** I1, I2 and I4: arguments are JSON objects, ids unique, content beside calls is neither blank nor ends in white space. */
export function requireSound(result: ParseResult, input: string): void {
  const where = (): string => `${show(result)} for ${show(input)}`;
  for (const call of result.toolCalls) {
    demand(call.name !== '' && call.id !== '', () => `An empty name or id: ${where()}`);
    demand(isPlainObject(parseOrUndefined(call.arguments)), () => `Arguments are no JSON object: ${where()}`);
  }
  const ids = new Set(result.toolCalls.map((call) => call.id));
  demand(ids.size === result.toolCalls.length, () => `Two calls have one id: ${where()}`);
  if (result.toolCalls.length === 0) {
    demand(result.content !== null, () => `No call, and no content: ${where()}`);
  } else if (result.content !== null) {
    demand(/[^ \t\r\n]$/u.test(result.content), () => `Content ends in white space or is empty: ${where()}`);
  }
  for (const error of result.errors) {
    const isInside = error.start >= 0 && error.start <= error.end && error.end <= input.length;
    demand(isInside && error.message !== '', () => `An error without place or message: ${where()}`);
  }
}

/** That a result is what the vector expects. */
export function requireExpected(result: ParseResult, vector: ToolCallVector): void {
  const where = (): string => `vector ${vector.name}: wanted ${show(vector)}, got ${show(result)}`;
  demand(result.content === vector.content, () => `Other content, ${where()}`);
  demand(result.toolCalls.length === vector.toolCalls.length, () => `Another number of calls, ${where()}`);
  for (const [index, expected] of vector.toolCalls.entries()) {
    const call = result.toolCalls[index];
    demand(call?.name === expected.name, () => `Another name, ${where()}`);
    demand(isSameJson(parseOrUndefined(call.arguments), expected.arguments), () => `Other arguments, ${where()}`);
    const isSpelled = expected.argumentsJson === undefined || expected.argumentsJson === call.arguments;
    demand(isSpelled, () => `Arguments spelled otherwise, ${where()}`);
    demand(expected.id === undefined || expected.id === call.id, () => `Another id, ${where()}`);
  }
}

/** That two results are the same to the letter. */
export function requireSame(result: ParseResult, wanted: ParseResult, how: () => string): void {
  const isSame =
    result.content === wanted.content &&
    isSameList(result.toolCalls, wanted.toolCalls, ['id', 'name', 'arguments']) &&
    isSameList(result.errors, wanted.errors, ['kind', 'start', 'end', 'message']);
  demand(isSame, () => `${how()}: ${show(result)} instead of ${show(wanted)}`);
}

function isSameList<Item>(left: readonly Item[], right: readonly Item[], keys: readonly (keyof Item)[]): boolean {
  return (
    left.length === right.length && left.every((item, index) => keys.every((key) => item[key] === right[index]?.[key]))
  );
}

function parseOrUndefined(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // Not JSON: the caller reports it with the text around it.
    return undefined;
  }
}
