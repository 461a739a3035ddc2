import { describe, expect, test } from '@jest/globals';
import { thoroughRuns } from '@talaria/testing-services/services';
import fc from 'fast-check';
import { createTextWindow } from '../text/text-window.ts';
import { createJsonScanner, type JsonStop } from './json-scanner.ts';
import { escapeControls } from './json-text.ts';

/** How scanning ends, and where. */
function scan(pieces: readonly string[]): { stop: JsonStop; position: number } {
  const scanner = createJsonScanner();
  const window = createTextWindow();
  let stop: JsonStop = 'more';
  for (const piece of pieces) {
    window.append(piece);
    do stop = scanner.scan(window, Number.POSITIVE_INFINITY);
    while (stop === 'key' || stop === 'value');
    if (stop !== 'more') break;
  }
  return { stop, position: window.position };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const jsonParts = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '"a"',
  '"b":',
  '\\',
  '\\n',
  '\\u00',
  'e9',
  '0',
  '1',
  '-',
  '.',
  '5',
  'e',
  '+',
  'E-2',
  'true',
  'null',
  'fals',
  ' ',
  '\n',
  'é',
];

describe('the scanner of JSON', () => {
  test('takes what JSON.parse takes, and nothing else', () => {
    const text = fc.array(fc.constantFrom(...jsonParts), { maxLength: 12 }).map((parts) => `[${parts.join('')}`);
    fc.assert(
      fc.property(text, (candidate) => {
        const { stop, position } = scan([candidate]);
        // A raw line feed in a string is let pass, and is told apart by writing it as an escape.
        if (stop === 'end') expect(isJson(escapeControls(candidate.slice(0, position)))).toBe(true);
        else expect(isJson(candidate)).toBe(false);
        // An escape that is not whole stays unread.
        if (stop === 'more') expect(candidate.slice(position)).toMatch(/^(?:\\(?:u[0-9a-fA-F]{0,3})?)?$/);
      }),
      { numRuns: thoroughRuns(20_000) },
    );
  });

  test('takes any JSON object, in any pieces, to its end', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.integer({ min: 1, max: 9 }),
        fc.nat(2),
        (value, size, indent) => {
          const json = JSON.stringify(value, null, indent);
          const pieces = `${json} {`.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
          expect(scan(pieces)).toEqual({ stop: 'end', position: json.length });
        },
      ),
    );
  });

  test('refuses at the character that cannot follow; numbers and names are judged as a whole', () => {
    const bad = [
      '{]',
      '{"a" "',
      '[1 2',
      '[01,',
      '[1.]',
      '[-a ',
      '[tru ',
      '[1e+\n',
      '["\\x',
      '["\\u00g',
      '{"a":1,}',
      '[,',
      '{1',
    ];
    for (const text of bad) expect(scan([text])).toEqual({ stop: 'bad-json', position: text.length - 1 });
  });

  test('long strings with few or many escapes', () => {
    for (const unit of ['x', 'x\\n', '\\"', '\\\\', `${'y'.repeat(40)}\\"`, `${'z'.repeat(15)}\\u00e9`]) {
      const text = `{"a":"${unit.repeat(500)}"}`;
      expect(scan([`${text}x"`])).toEqual({ stop: 'end', position: text.length });
      expect(scan([text.slice(0, 777), text.slice(777)])).toEqual({ stop: 'end', position: text.length });
    }
  });
});

describe('raw control characters', () => {
  test('become escapes in strings and stay elsewhere, in any pieces', () => {
    const text = '{\n\t"a\t": "\\\\\u0000\\"\n",\r\n"\n": ["\u001f"]\n}';
    const expected = '{\n\t"a\\t": "\\\\\\u0000\\"\\n",\r\n"\\n": ["\\u001f"]\n}';
    expect(escapeControls(text)).toBe(expected);
    for (let at = 0; at <= text.length; at += 1) {
      const scanner = createJsonScanner();
      const window = createTextWindow();
      window.append(text.slice(0, at));
      let stop: JsonStop;
      do stop = scanner.scan(window, at);
      while (stop === 'key' || stop === 'value');
      // An escape that is cut stays whole in the next piece.
      const read = window.position;
      const escaped = escapeControls(text.slice(0, read)) + escapeControls(text.slice(read), scanner.isInString);
      expect(escaped).toBe(expected);
    }
  });
});
