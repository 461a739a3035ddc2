import type { Answer } from '../stream/answer.ts';
import { isCallName } from '../text/call-name.ts';
import type { Reading } from '../text/reading.ts';
import type { TokenTable } from '../text/token-table.ts';
import { trimWhiteSpace } from '../text/white-space.ts';
import { readAttributes } from './read-attributes.ts';

/**
 * Reads the rest of the tag of a call, behind whose name the window stands: the tool's name, which is its attribute
 * `key`. Undefined where there is none, which is told.
 */
export function* readToolTag(
  answer: Answer,
  tagEnd: TokenTable,
  key: string,
  decode?: (raw: string) => string,
): Reading<string | undefined> {
  const attributes = yield* readAttributes(answer, tagEnd, decode);
  if (!attributes) return undefined;
  const name = trimWhiteSpace(attributes.get(key) ?? '');
  if (isCallName(name)) return name;
  answer.fail('bad-name', `"${name}" is no name`, answer.window.position);
  return undefined;
}
