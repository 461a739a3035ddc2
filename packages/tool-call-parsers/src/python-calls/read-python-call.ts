import { readLiteral } from '../python/read-literal.ts';
import type { Answer, CompletedCall } from '../stream/answer.ts';
import { maximumCallLength, maximumNameLength } from '../stream/call-limits.ts';
import { isCallName } from '../text/call-name.ts';
import { type Reading, seekToken, skipSpace } from '../text/reading.ts';
import type { TextWindow } from '../text/text-window.ts';
import { type ArgumentsWriter, createArgumentsWriter } from '../text-call/arguments-writer.ts';
import { failHere } from '../text-call/fail-here.ts';
import { nameEnds, readName } from '../text-call/read-name.ts';
import { type ReadingFault, readWithin } from '../text-call/read-within.ts';
import { parameterNames } from './parameter-names.ts';

/**
 * Reads a call as Python writes it, `name(key=literal, …)`, behind white space where the window stands; it then stands
 * behind the call. What is none is told, and the result is undefined. The attempt begins at `start`, where it does not
 * go on from a call before.
 */
export function* readPythonCall(
  answer: Answer,
  isDeclared: (name: string) => boolean,
  start?: number,
): Reading<CompletedCall | undefined> {
  const { window, options } = answer;
  const writer = createArgumentsWriter();
  if (start !== undefined) answer.open(start, writer);
  const name = yield* readName(answer);
  if (name === undefined) return undefined;
  const bracket = yield* skipSpace(window);
  if (bracket !== '(') failHere(answer, bracket, '(');
  else if (!isDeclared(name)) answer.fail('bad-name', `no tool is called "${name}"`, window.position);
  else {
    window.index += 1;
    writer.name = name;
    const reading = readArguments(window, writer, () => parameterNames(options.tools, name));
    const fault = yield* readWithin(window, window.position + maximumCallLength, reading);
    if (!fault) return writer.finish();
    answer.fail(fault.kind, fault.reason, window.position);
  }
  return undefined;
}

/** Whether a call begins where the window stands, of a tool that was declared, so far as its name tells. */
export function* beginsPythonCall(window: TextWindow, isDeclared: (name: string) => boolean): Reading<boolean> {
  const from = window.position;
  const end = yield* seekToken(window, nameEnds, maximumNameLength);
  const name = window.slice(from, window.position);
  return end === '(' && isCallName(name) && isDeclared(name);
}

/**
 * Reads arguments, `key=literal` or `literal`, up to behind the closing bracket. Those without a key take the parameters
 * of the tool, in order.
 */
function* readArguments(
  window: TextWindow,
  writer: ArgumentsWriter,
  findParameters: () => readonly string[],
): Reading<ReadingFault | undefined> {
  let parameters: readonly string[] | undefined;
  for (let place = 0; ; place += 1) {
    let next = yield* skipSpace(window);
    if (next && next !== ')') {
      const from = window.position;
      yield* seekToken(window, nameEnds, maximumNameLength);
      const key = window.slice(from, window.position);
      const sign = isCallName(key) ? yield* skipSpace(window) : undefined;
      if (sign === '=') {
        window.index += 1;
        writer.key(key);
        // Behind an argument with a key, all must have one.
        place = Number.POSITIVE_INFINITY;
      } else {
        parameters ??= findParameters();
        const name = parameters[place];
        if (name === undefined && sign === '') return { kind: 'truncated', reason: '=' };
        window.rewind(from);
        if (name === undefined) return { kind: 'bad-arguments', reason: 'a value without a name' };
        writer.key(name);
      }
      const fault = yield* readLiteral(window, writer.json);
      if (fault) return fault;
      next = yield* skipSpace(window);
    }
    if (next === ')' || next === ',') window.index += 1;
    if (next === ')') return undefined;
    if (next !== ',') return { kind: next ? 'bad-structure' : 'truncated', reason: ', or )' };
  }
}
