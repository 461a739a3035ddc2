import { describe, expect, test } from '@jest/globals';
import { mergeReasoningDetails } from './reasoning-details.ts';

describe('mergeReasoningDetails', () => {
  test('joins pieces of the same type and index that follow each other', () => {
    expect(
      mergeReasoningDetails([
        { type: 'reasoning.text', index: 0, text: 'a', signature: null },
        { type: 'reasoning.text', index: 0, text: 'b', signature: 's' },
        { type: 'reasoning.text', index: 0, signature: null },
        { type: 'reasoning.summary', index: 0, summary: 'c' },
        { type: 'reasoning.text', index: 1, text: 'd' },
      ]),
    ).toEqual([
      { type: 'reasoning.text', index: 0, text: 'ab', signature: 's' },
      { type: 'reasoning.summary', index: 0, summary: 'c' },
      { type: 'reasoning.text', index: 1, text: 'd' },
    ]);
  });

  test('keeps entries without an index apart, as they are', () => {
    const whole = [
      { type: 'reasoning.text', text: 'a' },
      { type: 'reasoning.text', text: 'b', signature: null },
    ];
    expect(mergeReasoningDetails(whole)).toEqual(whole);
  });

  test('joins an endless number of pieces', () => {
    const pieces = Array.from({ length: 150_000 }, () => ({ type: 'reasoning.text', index: 0, text: 'x' }));
    expect(mergeReasoningDetails(pieces)).toEqual([{ type: 'reasoning.text', index: 0, text: 'x'.repeat(150_000) }]);
  });
});
