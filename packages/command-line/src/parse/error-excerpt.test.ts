import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Excerpt, renderExcerpt } from './error-excerpt.ts';

/** Characters whose look is beyond doubt: what is shown for each, and its columns. */
const alphabet: Readonly<Record<string, readonly [string, number]>> = {
  a: ['a', 1],
  '"': ['"', 1],
  '\t': ['    ', 4],
  世: ['世', 2],
  '🎉': ['🎉', 2],
  '\u0301': ['\u0301', 0],
  '\u001B': ['<U+001B>', 8],
  '\u200D': ['<U+200D>', 8],
  '\u{10FFFF}': ['<U+10FFFF>', 10],
  '\n': ['', 0],
};
const texts = fc.array(fc.constantFrom(...Object.keys(alphabet)), { maxLength: 60 }).map((parts) => parts.join(''));

function shown(text: string): string {
  return [...text].map((character) => alphabet[character]?.[0]).join('');
}

function columns(text: string): number {
  return [...text].reduce((sum, character) => sum + (alphabet[character]?.[1] ?? Number.NaN), 0);
}

/** Whether a unit is the second half of a character or stands on the one before. */
const hangsOn = (unit: string | undefined): boolean => unit === '\u0301' || /^[\uDC00-\uDFFF]$/u.test(unit ?? '');

/** The same as two lines that a person can check. */
function draw({ line, marks }: Excerpt): string {
  return `\n${line}\n${marks}`;
}

describe('a line that fits', () => {
  test('has the caret below the beginning and the rest of the span underlined, whatever stands before', () => {
    fc.assert(
      fc.property(texts, fc.nat(), fc.nat({ max: 70 }), (text, seed, length) => {
        const start = seed % (text.length + 1);
        fc.pre(!hangsOn(text[start]));
        const span = { start, end: Math.min(text.length, start + length) };
        const { line, marks } = renderExcerpt(text, span, { at: 'start', columns: 1_000 });
        const lineStart = text.slice(0, start).lastIndexOf('\n') + 1;
        const [wholeLine = ''] = text.slice(lineStart).split('\n');
        expect(line).toBe(shown(wholeLine));
        expect(marks.indexOf('^')).toBe(columns(text.slice(lineStart, start)));
        // A character of which a half is marked is marked.
        const end = hangsOn(text[span.end]) && text[span.end] !== '\u0301' ? span.end + 1 : span.end;
        const [marked = ''] = text.slice(start, Math.max(start, end)).split('\n');
        expect(marks.trimStart().length).toBe(Math.max(1, columns(marked)));
      }),
    );
  });

  test.each([
    ['a tab', '{\t"x": 1}', 2, 5, '\n{    "x": 1}\n     ^~~'],
    ['wide characters', '{"世界": tru}', 7, 10, '\n{"世界": tru}\n         ^~~'],
    ['a family of emoji', '👩‍👩‍👧 x', 9, 10, '\n👩<U+200D>👩<U+200D>👧 x\n                       ^'],
    ['an escape sequence', 'a\u001B[31mb', 1, 6, '\na<U+001B>[31mb\n ^~~~~~~~~~~~'],
    ['a mark inside the span', 'xe\u0301y', 1, 3, '\nxe\u0301y\n ^'],
    ['a span that begins at a mark', 'xe\u0301y', 2, 3, '\nxe\u0301y\n ^'],
    ['a span that begins inside a character', 'x🎉y', 2, 3, '\nx🎉y\n ^~'],
    ['an empty span', 'abc', 1, 1, '\nabc\n ^'],
    ['the end of the text', 'abc', 3, 3, '\nabc\n   ^'],
    ['a line end', 'abc\r\ndef', 3, 5, '\nabc\n   ^'],
    ['the second half of a line end', 'abc\r\ndef', 4, 5, '\nabc\n   ^'],
    ['a line end at the very beginning', '\r\ndef', 0, 2, '\n\n^'],
    ['a carriage return in a line', 'a\rb', 2, 3, '\na<U+000D>b\n         ^'],
    ['no text', '', 0, 0, '\n\n^'],
    ['an offset behind the text', 'abc', 9, 12, '\nabc\n   ^'],
    ['an offset before the text', 'abc', -2, 1, '\nabc\n^'],
  ])('is right for %s', (_title, text, start, end, expected) => {
    expect(draw(renderExcerpt(text, { start, end }, { at: 'start', columns: 80 }))).toBe(expected);
  });

  test('is marked up to the last character where it shows the end of a span', () => {
    const text = 'one\n  two 世 three';
    expect(draw(renderExcerpt(text, { start: 1, end: 11 }, { at: 'end', columns: 80 }))).toBe(
      '\n  two 世 three\n~~~~~~^~',
    );
  });
});

describe('a line that does not fit', () => {
  test('is cut on both sides, and keeps the caret in view', () => {
    const text = `${'a'.repeat(500_000)}<here>${'b'.repeat(500_000)}`;
    const span = { start: 500_000, end: 500_006 };
    expect(draw(renderExcerpt(text, span, { at: 'start', columns: 30 }))).toBe(`
...aaaaaaa<here>bbbbbbbbbbb...
          ^~~~~~`);
    expect(draw(renderExcerpt(text, span, { at: 'end', columns: 30 }))).toBe(`
...aaaaaaaaa<here>bbbbbbbbb...
            ~~~~~^`);
  });

  test('gives the room that one side does not need to the other', () => {
    const line = 'abcdefghij'.repeat(10);
    const at = (start: number) => renderExcerpt(line, { start, end: start + 1 }, { at: 'start', columns: 20 }).line;
    expect([at(0), at(99)]).toEqual(['abcdefghijabcdefg...', '...defghijabcdefghij']);
  });

  test('is never wider than asked, has the marked character above the caret, and says whether all is marked', () => {
    fc.assert(
      fc.property(texts, fc.nat(), fc.integer({ min: 20, max: 50 }), fc.boolean(), (text, seed, columns, isAtEnd) => {
        const place = seed % (text.length + 1);
        fc.pre(!hangsOn(text[place]));
        const [at, span] = isAtEnd
          ? (['end', { start: 0, end: place + 1 }] as const)
          : (['start', { start: place, end: text.length }] as const);
        const { line, marks, isWhole } = renderExcerpt(text, span, { at, columns });
        expect(Math.max(columnsOf(line), marks.length)).toBeLessThanOrEqual(columns);
        const character = String.fromCodePoint(text.codePointAt(place) ?? 10);
        expect(behindColumns(line, marks.indexOf('^')).startsWith(shown(character))).toBe(true);
        if (isWhole && !isAtEnd) expect(line.endsWith('...')).toBe(false);
      }),
    );
  });

  test('of marks without a width shows a few of them', () => {
    const { line, marks } = renderExcerpt(
      `a${'\u0301'.repeat(100_000)}`,
      { start: 0, end: 9 },
      { at: 'start', columns: 80 },
    );
    expect(line.length).toBeLessThan(100);
    expect(marks).toBe('^');
  });
});

/** Columns of a line that was shown: names and points are ASCII. */
function columnsOf(line: string): number {
  return [...line].reduce((sum, character) => sum + (alphabet[character]?.[1] ?? 1), 0);
}

/** What of a line that was shown stands behind so many columns. */
function behindColumns(line: string, count: number): string {
  const characters = [...line];
  let passed = 0;
  while (passed < count) passed += columnsOf(characters.shift() ?? '?');
  // Marks stand on the character before.
  while (characters[0] === '\u0301') characters.shift();
  return characters.join('');
}
