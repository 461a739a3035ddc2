import { describe, expect, test } from '@jest/globals';
import type { StreamEvent, ToolCallParser } from '@talaria/tool-call-parsers';
import { testedFormats } from './tested-formats.ts';

const commitModes = ['call', 'eager'] as const;

/** What a stream has said of a text that goes on. */
function heard(parser: ToolCallParser, text: string, commit: 'call' | 'eager'): string {
  const stream = parser.stream({ commit });
  return contentOf(text.split('').flatMap((unit) => stream.feed(unit)));
}

function contentOf(events: readonly StreamEvent[]): string {
  return events.map((event) => (event.type === 'content' ? event.text : '')).join('');
}

describe.each(testedFormats)('$name holds text back no longer than it must', ({ parser }) => {
  const cutMarkers = parser.startMarkers.flatMap((marker) =>
    Array.from({ length: marker.length - 1 }, (_, index) => marker.slice(0, index + 1)),
  );

  test('the beginning of a marker comes out as soon as it goes on otherwise', () => {
    for (const commit of commitModes) {
      for (const cut of new Set(cutMarkers)) {
        const text = `Words ${cut}é`;
        expect({ cut, commit, said: heard(parser, text, commit) }).toEqual({ cut, commit, said: text });
      }
    }
  });

  test('white space comes out as soon as a word follows', () => {
    for (const commit of commitModes) {
      for (const space of [' ', '\n\n', ' \t\r\n'.repeat(50)]) {
        expect(heard(parser, `Words${space}`, commit)).toBe('Words');
        expect(heard(parser, `Words${space}é`, commit)).toBe(`Words${space}é`);
      }
    }
  });

  test('a marker that is only mentioned does not silence the rest', () => {
    for (const commit of commitModes) {
      for (const marker of parser.startMarkers) {
        const text = `Words ${marker} are a marker, ${'and this goes on and on, '.repeat(80)}`;
        const said = heard(parser, text, commit);
        expect({ marker, commit, isPart: text.startsWith(said) }).toEqual({ marker, commit, isPart: true });
        expect(text.length - said.length).toBeLessThan(400);
      }
    }
  });

  test('an end-of-turn token in the text comes out with the word behind it', () => {
    for (const commit of commitModes) {
      expect(heard(parser, 'Words</s>', commit)).toBe('Words');
      expect(heard(parser, 'Words</s> é', commit)).toBe('Words</s> é');
    }
  });
});
