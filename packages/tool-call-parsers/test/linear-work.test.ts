import { describe, expect, test } from '@jest/globals';
import { hermes } from '@talaria/tool-call-parsers/hermes';
import { countStringWork } from './string-work.ts';

const small = 8 * 1024;
const large = 64 * 1024;
const tag = '<tool_call>';

/** A lead, and what is repeated behind it. */
const families: readonly (readonly [string, string, string])[] = [
  ['plain words', '', 'word '],
  ['start tag', '', tag],
  ['start tag and white space', '', `${tag} \n `],
  ['start tag and brace', '', `${tag}{`],
  ['open string in a call', '', `${tag}{"a":"`],
  ['strings that open and close out of step', `${tag}{"a":"${tag}{"`, '","'],
  ['open string behind an escape', '', `${tag}{"a\\n":"`],
  ['open strings behind one escape', `${tag}{"\\n":1,`, `"a":"${tag}{`],
  ['call without name', '', `${tag}{"a":1}`],
  ['good call', '', `${tag}{"name":"a","arguments":{"b":[1,"c"]}}</tool_call>`],
  ['good call without end tag', '', `${tag}{"name":"a"}`],
  ['end-of-turn token', 'a', '</s>'],
  ['end-of-turn token behind a call', `${tag}{"name":"a"}`, '</s> '],
  ['start tag and end-of-turn token', '', `${tag}</s>`],
  ['beginning of a tag', '', '<tool_'],
  ['angle bracket', '', '<'],
  ['square bracket', '', '['],
  ['brace', tag, '{'],
  ['quote', `${tag}{`, '"'],
  ['space', tag, ' '],
  ['space in text', 'a', ' '],
  ['open string', `${tag}{"name": "`, 'x'],
  ['open string of quotes', `${tag}{"name": "`, '\\"'],
  ['open string of escapes', `${tag}{"name": "`, 'a long stretch of a string\\n'],
  ['open string of raw line feeds', `${tag}{"name": "`, '\n'],
  ['nested brackets', `${tag}{"name": `, '['],
  ['keys', `${tag}{"name": "a"`, ',"b":1'],
  ['repeated arguments', `${tag}{"name": "a"`, ',"arguments":{"a":1}'],
  ['one long array', `${tag}{"name": "a","arguments":{"b":[`, '1,'],
  ['double encoding', `${tag}{"name": "a","arguments":"{\\"a\\": [`, '\\"b\\",'],
];

function cut(text: string, length: number): readonly string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; from += length) pieces.push(text.slice(from, from + length));
  return pieces;
}

function workOf(lead: string, unit: string, length: number, deltaLength: number, commit: 'call' | 'eager'): number {
  const text = lead + unit.repeat(Math.ceil((length - lead.length) / unit.length));
  const pieces = cut(text, deltaLength);
  return countStringWork(() => {
    const stream = hermes.stream({ commit, idFactory: () => 'id' });
    for (const piece of pieces) stream.feed(piece);
    stream.finish();
  });
}

describe('the work grows with the text and no faster', () => {
  test.each(families)('%s', (_family, lead, unit) => {
    for (const deltaLength of [large, 100, 1]) {
      for (const commit of ['call', 'eager'] as const) {
        const atSmall = workOf(lead, unit, small, deltaLength, commit);
        const atLarge = workOf(lead, unit, large, deltaLength, commit);
        // Growth with the square would give 64; blocks of kept text make small texts cheaper than their share.
        expect(atLarge / atSmall).toBeLessThan((1.5 * large) / small);
        expect(atLarge / large).toBeLessThan(200);
      }
    }
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
});
