import type { Answer } from '../stream/answer.ts';

/**
 * Says that `expected` should stand where the window stands, where reading goes on. `found` is the token that stands
 * there instead: empty where the text ended.
 */
export function failHere(answer: Answer, found: string | undefined, expected: string): void {
  answer.fail(found === '' ? 'truncated' : 'bad-structure', expected, answer.window.position);
}
