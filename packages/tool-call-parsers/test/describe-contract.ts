import { describe, expect, test } from '@jest/globals';
import { getParser } from '@talaria/tool-call-parsers';
import { toolCallParserContract } from '@talaria/tool-call-parsers/contract';
import { disputedVectors } from './disputed-vectors.ts';
import { spellings, type TestedFormat } from './tested-formats.ts';

/** Runs the contract of these formats over all their vectors, in every chunking that S2 names. */
export function describeContract(formats: readonly TestedFormat[]): void {
  test('what is disputed are vectors', () => {
    for (const { name, vectors } of formats) {
      const names = vectors.map((vector) => vector.name);
      expect(names).toEqual(expect.arrayContaining(disputesOf(name).map((entry) => entry.name)));
    }
  });
  for (const format of formats) describe(`${format.name} keeps the contract`, () => describeFormat(format));
}

function describeFormat({ name, parser, vectors }: TestedFormat): void {
  const cases = toolCallParserContract({ vectors, disputed: disputesOf(name) });

  test('its vectors are there', () => expect(vectors.length).toBeGreaterThan(12));

  test.each(cases.map((entry) => [entry.name, entry] as const))('%s', (_name, entry) =>
    entry.run(() => getParser(name)),
  );

  // The parser is the same object under each name, so that one streamed reading stands for all of them.
  const whole = cases.filter((entry) => entry.name.includes(': read whole'));
  for (const alias of spellings(parser).slice(1)) {
    test(`also under the alias ${alias}`, async () => {
      expect(getParser(alias)).toBe(parser);
      expect(whole.length).toBe(vectors.length);
      for (const entry of whole) await entry.run(() => getParser(alias));
    });
  }
}

function disputesOf(name: string): typeof disputedVectors {
  return disputedVectors.filter((entry) => entry.parser === name);
}
