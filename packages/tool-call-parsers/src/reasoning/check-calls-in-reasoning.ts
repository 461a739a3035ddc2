import { optionError } from '../option-error.ts';
import type { CallsInReasoning } from './reasoning-parser.ts';

/**
 * The policy itself.
 * @throws ParserError `parser.option` for what is none
 */
export function checkCallsInReasoning(policy: CallsInReasoning): CallsInReasoning {
  if (policy === 'end-reasoning' || policy === 'ignore') return policy;
  throw optionError('callsInReasoning', policy, '"end-reasoning" or "ignore"');
}
