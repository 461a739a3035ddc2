import assert from 'node:assert/strict';

/** Texts that break what is not written for them. */
export const hostileTexts: readonly string[] = [
  '',
  "'; DROP TABLE entries; --",
  '" OR "1" = "1',
  '%_\\%',
  'NEAR(a b, 5) AND NOT (c* OR "d") ^e {f} : g -h +i',
  '§\n§\n--- \n...',
  '\u0000\u0001\u001b[31m\u007f',
  'e\u0301 \u00e9 \ud83d\ude42 \u200f\u202e\ufeff',
  'half \ud83d',
  '\udc00 half',
  '__proto__',
  'x'.repeat(300_000),
];

/** Tenants and session ids that no store takes. */
export const wrongKeys: readonly string[] = ['', 'a\u0000', 'a\ud83d', 'a\udc00', 'x'.repeat(257)];

/** A text as every store gives it back. */
export function keptText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

/** Asserts that something rejects with an error that fits. */
export async function rejectsWith(promise: Promise<unknown>, fits: (error: unknown) => boolean): Promise<void> {
  try {
    await promise;
  } catch (error) {
    assert.ok(fits(error), `Another error was expected than ${String(error)}`);
    return;
  }
  assert.fail('A rejection was expected');
}

/** Whether an error says that an argument is wrong. */
export function isInvalidArgument(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'config.invalid';
}
