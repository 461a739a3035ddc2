import { describe, expect, test } from '@jest/globals';
import { findChromium } from '@talaria/testing-services';

/** The program that tests drive; empty where there is none. */
export const chromiumProgram: string = findChromium(process.env['PATH'] ?? '') ?? '';

/**
 * Runs tests with a real Chromium; without one, or what else they need, they are skipped; without Chromium
 * that fails where services are required.
 */
export function describeWithChromium(name: string, define: () => void, isPossible = true): void {
  test(`Chromium is there for: ${name}`, () => {
    const mustRun = process.env['TALARIA_REQUIRE_SERVICES'] === '1';
    if (chromiumProgram === '') {
      process.stderr.write('SKIPPED tests of the browser: no Chromium is installed (apt-get install chromium)\n');
    }
    expect(chromiumProgram !== '' || !mustRun).toBe(true);
  });
  (chromiumProgram === '' || !isPossible ? describe.skip : describe)(name, define);
}
