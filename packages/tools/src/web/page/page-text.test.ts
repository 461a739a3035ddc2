import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cutWindow } from '../tools/content-window.ts';
import { contentKindOf, mediaTypeOf } from './content-kind.ts';
import { decodeText } from './decode-text.ts';
import { htmlToPlainText } from './plain-text.ts';

const pieces = fc.constantFrom(
  '<',
  '>',
  '</',
  '<p>',
  '<script>',
  '</script>',
  '<!--',
  '-->',
  '&lt;',
  '&#x110000;',
  '&',
  ' ',
  '\n',
  'a',
  '👻',
);
const markup = fc.array(fc.oneof(pieces, fc.string()), { maxLength: 40 }).map((parts) => parts.join(''));

test('the text of anything that might be HTML has no elements left', () => {
  fc.assert(
    fc.property(markup, (html) => {
      const text = htmlToPlainText(html);
      // What was escaped is text, so that only what was not is looked for.
      if (!html.includes('&')) expect(text).not.toMatch(/<[a-z/!?][^<>]*>/i);
      expect(text).toBe(text.trim());
    }),
  );
});

test.each([
  ['<A<>>', '>'],
  ['<?<>>b', '>b'],
  ['a</</script>-->b', 'a -->b'],
  ['a<b', 'a<b'],
  ['1 < 2 > 1', '1 < 2 > 1'],
  ['<p>a<br/>b</p\n>c', 'a\nb\nc'],
  ['<pa>a<pre >b', 'a\nb'],
  ['<', '<'],
])('the text of %j is %j', (html, text) => {
  expect(htmlToPlainText(html)).toBe(text);
});

test.each(['<', '<a', '<script>', '<!--', '<p ', '&', '&#', ' \n', '</', '<script></script>', '<svg><!--'])(
  'the text of a million times %j is read in one go',
  (piece) => {
    expect(htmlToPlainText(`one<br>${piece.repeat(1_000_000)}`).startsWith('one')).toBe(true);
  },
);

test('entities become characters, and unknown ones stay', () => {
  expect(htmlToPlainText('&lt;b&gt; &amp;amp; &#65;&#x42; &nbsp;&unknown; &#0; &#1114112;')).toBe(
    '<b> &amp; AB &unknown; &#0; &#1114112;',
  );
});

test('any bytes with any header are text, and have a kind', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.option(fc.string()), (bytes, header) => {
      expect(typeof decodeText(bytes, header).text).toBe('string');
      expect(['html', 'text', 'pdf', 'image', 'binary']).toContain(contentKindOf(mediaTypeOf(header), bytes));
    }),
  );
});

test('windows of any size put together are the whole, and none is cut inside a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.integer({ min: 2, max: 9 }), (text, size) => {
      const parts: string[] = [];
      for (let offset: number | null = 0; offset !== null; ) {
        const window = cutWindow(text, offset, size);
        parts.push(window.content);
        offset = window.nextOffset;
      }
      expect(parts.join('')).toBe(text);
      if (text.isWellFormed()) expect(parts.every((part) => part.isWellFormed())).toBe(true);
    }),
  );
});
