import { describe, expect, test } from '@jest/globals';
import { hermes } from '@talaria/tool-call-parsers/hermes';
import { xlam } from '@talaria/tool-call-parsers/xlam';
import { measureGrowth } from '../../test/measure-growth.ts';
import { createTextWindow, type TextWindow } from './text-window.ts';

/** A window on these pieces, all but the last of them read. */
function windowOn(...pieces: readonly string[]): TextWindow {
  const window = createTextWindow();
  for (const piece of pieces) {
    window.index = window.source.length;
    window.append(piece);
  }
  return window;
}

describe('a window', () => {
  test.each([0, 1, 2, 3, 4, 5, 6])('goes back to %i, and gives the same text as before', (position) => {
    const window = windowOn('ab', 'c', 'def', 'g');
    window.rewind(position);
    expect(window.position).toBe(position);
    expect(window.source.slice(window.index)).toBe('abcdefg'.slice(position));
    expect(window.slice(0, 7)).toBe('abcdefg');
    window.index += 1;
    window.append('h');
    expect(window.slice(0, window.end)).toBe('abcdefgh');
    window.rewind(0);
    expect(window.source).toBe('abcdefgh');
  });

  test('forgets what lies before the point back to which it is kept', () => {
    const window = windowOn('ab', 'c', 'def');
    window.keptFrom = 5;
    window.index = 3;
    window.append('g');
    expect(window.slice(5, 7)).toBe('fg');
    window.rewind(5);
    expect(window.source.slice(window.index)).toBe('fg');
  });
});

describe('the work grows with the text, and no faster, where a call goes on behind what was shown of it', () => {
  test.each([
    ['a key behind the arguments', hermes, '<tool_call>{"name": "a", "arguments": {"b": 1}, "c": "'],
    ['white space behind the arguments', hermes, '<tool_call>{"name": "a", "arguments": {"b": 1}'],
    ['a second call in a fence', xlam, '```json\n[{"name": "a", "arguments": {}}, {"name": "b", "arguments": {"c": "'],
  ])('%s', (_title, parser, lead) => {
    const family = { title: '', lead, unit: ' ' };
    expect(measureGrowth(parser, family, { deltaLength: 1, commit: 'eager' })).toMatchObject({ isLinear: true });
  });
});
