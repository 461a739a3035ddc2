import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cleanOutput, collapseCarriageReturns, stripControlSequences } from './clean-output.ts';

describe('stripControlSequences', () => {
  test.each([
    ['colours', '\u001b[1;31mred\u001b[0m', 'red'],
    ['private modes', '\u001b[?25lx\u001b[?25h', 'x'],
    ['intermediates', '\u001b[1 qx', 'x'],
    ['a title ended by BEL', '\u001b]0;title\u0007x', 'x'],
    ['a link ended by ST', '\u001b]8;;http://a\u001b\\text\u001b]8;;\u001b\\', 'text'],
    ['DCS', '\u001bPq#0\u001b\\x', 'x'],
    ['a character set', '\u001b(Bx', 'x'],
    ['two bytes', '\u001bMx\u001b7y', 'xy'],
    ['8-bit CSI', '\u009b31mx', 'x'],
    ['8-bit OSC', '\u009d0;t\u009cx', 'x'],
    ['other C1', 'a\u0085b', 'ab'],
    ['an unterminated title keeps the rest', '\u001b]0;the rest of the output\nmore', '0;the rest of the output\nmore'],
    ['nothing', 'plain [1] text', 'plain [1] text'],
  ])('%s', (_what, text, expected) => {
    expect(stripControlSequences(text)).toBe(expected);
  });

  test('a string without an end hides at most nothing, however long', () => {
    const text = `\u001b]0;${'x'.repeat(100_000)}`;
    expect(stripControlSequences(text)).toHaveLength(100_002);
  });

  test.each([
    ['\u009d', 1_000_000],
    ['\u001b]', 1_000_000],
    ['\u0090x', 500_000],
    ['\u001b[1;', 500_000],
  ])('%p many times over ends', (piece, count) => {
    expect(stripControlSequences(piece.repeat(count)).length).toBeLessThanOrEqual(piece.length * count);
  });

  test('never throws, and leaves no escape before a letter', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('\u001b', '[', ']', 'P', '0', ';', 'm', '\u0007', '\\', '\u009b', 'x') }),
        (text) => {
          expect(stripControlSequences(text)).not.toMatch(/[\u0080-\u009f]/);
        },
      ),
    );
  });
});

test.each([
  ['progress 1%\rprogress 50%\rdone', 'done'],
  ['progress 1%\rdone\r\nnext\n', 'done\nnext\n'],
  ['a\r\r\nb', 'a\nb'],
  ['plain', 'plain'],
  ['\r\r', ''],
  ['', ''],
  [`${'\r'.repeat(1_000_000)}x`, 'x'],
])('collapseCarriageReturns(%p)', (text, expected) => {
  expect(collapseCarriageReturns(text)).toBe(expected);
});

test('cleans before it cuts, keeps 40 % of the start and 60 % of the end, and never half a character', () => {
  const text = `${'\u001b[31ma\u001b[0m'.repeat(1_000)}${'🙂'.repeat(1_000)}`;
  const cleaned = cleanOutput(text, { maxChars: 1_001, collapseCarriageReturns: true });
  expect(cleaned.startsWith('a'.repeat(400))).toBe(true);
  expect(cleaned).toContain('of 3000 characters omitted');
  expect(cleaned.endsWith('🙂'.repeat(300))).toBe(true);
  expect(cleaned.isWellFormed()).toBe(true);
});

test('leading white space stays, trailing goes, NULs go', () => {
  expect(cleanOutput('  a\0b \n\n', { maxChars: 100, collapseCarriageReturns: true })).toBe('  ab');
});
