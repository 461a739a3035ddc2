import { describe, expect, test } from '@jest/globals';
import { hermes } from '@talaria/tool-call-parsers/hermes';
import { createFormatMaterial } from '../fuzz/format-material.ts';
import { jsonFamilies } from './json-families.ts';
import { type Feeding, measureGrowth, whole } from './measure-growth.ts';
import { countStringWork } from './string-work.ts';
import { testedFormats } from './tested-formats.ts';
import { textFamilies } from './text-families.ts';

/** Small deltas are where work grows first. */
const feedings: readonly Feeding[] = [
  { deltaLength: whole, commit: 'call' },
  { deltaLength: 1, commit: 'eager' },
];
const otherFeedings: readonly Feeding[] = [
  { deltaLength: 1, commit: 'call' },
  { deltaLength: 100, commit: 'eager' },
];

describe.each(testedFormats)('$name: the work grows with the text and no faster', (format) => {
  const { parser, vectors } = format;
  const [, , declared] = createFormatMaterial(parser, vectors).toolLists;
  const families = textFamilies(format).map((family, index) => [family.title, family, index] as const);

  test.each(families)('%s', (_title, family, index) => {
    // Counting is slow: two of the four ways are taken in turns. Every other family is read with tools.
    const tools = index % 4 < 2 ? declared?.tools : undefined;
    for (const feeding of [...feedings, ...otherFeedings.slice(index % 2, (index % 2) + 1)]) {
      const growth = measureGrowth(parser, family, { ...feeding, tools });
      expect({ ...feeding, ...growth }).toEqual({ ...feeding, ...growth, isLinear: true });
    }
  });
});

describe('JSON: the work grows with the text and no faster', () => {
  test.each(jsonFamilies.map((family) => [family.title, family] as const))('%s', (_title, family) => {
    for (const feeding of [...feedings, ...otherFeedings]) {
      const growth = measureGrowth(hermes, family, feeding);
      expect({ ...feeding, ...growth }).toEqual({ ...feeding, ...growth, isLinear: true });
    }
  });
});

test('the count sees what grows faster', () => {
  const rescan = (length: number): number =>
    countStringWork(() => {
      let text = '';
      for (let size = 0; size < length; size += 1) {
        text += 'x';
        text.indexOf('<');
      }
    });
  expect(rescan(4000) / rescan(1000)).toBeGreaterThan(10);
});
