import { describe, test } from '@jest/globals';
import { isThorough } from '../thorough.ts';

/**
 * Declares tests that need nothing but much time. Without `TALARIA_THOROUGH=1` in the environment they are skipped, and
 * that is said.
 */
export function describeThorough(title: string, declareTests: () => void): void {
  if (isThorough) {
    describe(title, declareTests);
    return;
  }
  const reason = 'it takes long: npm run test:thorough';
  process.stderr.write(`SKIPPED ${title}: ${reason}\n`);
  test.skip(`${title}: ${reason}`, () => undefined);
}
