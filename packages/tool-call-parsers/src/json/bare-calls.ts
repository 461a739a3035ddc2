import { declaredNames } from '../schema/declared-names.ts';
import type { Answer } from '../stream/answer.ts';
import type { ReadElement } from './json-array.ts';
import { argumentsKeys } from './json-call-body.ts';
import { type CallShape, readJsonCandidate } from './json-call-candidate.ts';

/**
 * Makes the reading of objects that only their shape makes calls: of a declared tool, or, where no tools are known, with
 * arguments.
 */
export function bareCalls({ options }: Answer): ReadElement {
  const isDeclared = declaredNames(options.tools);
  // Without tools every name counts as declared, even this one.
  const hasTools = !isDeclared('');
  const shape: CallShape = ({ name, value, isAtArguments }) => {
    if (name === undefined) return undefined;
    return isDeclared(name) ? hasTools || value !== undefined || isAtArguments() || undefined : false;
  };
  return (answer, start) => readJsonCandidate(answer, start, argumentsKeys, shape);
}
