import { describe, expect, test } from '@jest/globals';
import { foldEvents, type ParseResult, type StreamEvent } from '@talaria/tool-call-parsers';
import { hermes } from '@talaria/tool-call-parsers/hermes';
import fc from 'fast-check';
import { cutAt, cuts, markerSoup } from './marker-soup.ts';
import { referenceHermes } from './reference-hermes.ts';

const runs = { numRuns: 3000 };

function idFactory(): () => string {
  let count = 0;
  return () => `id${++count}`;
}

function streamed(text: string, places: readonly number[], commit: 'call' | 'eager'): ParseResult {
  const stream = hermes.stream({ commit, idFactory: idFactory() });
  const events: StreamEvent[] = cutAt(text, places).flatMap((piece) => stream.feed(piece));
  return foldEvents([...events, ...stream.finish()]);
}

describe('for any text', () => {
  test('content and calls are those of the rules', () => {
    fc.assert(
      fc.property(markerSoup, (text) => {
        const { content, toolCalls } = hermes.parse(text);
        const calls = toolCalls.map((call) => ({ name: call.name, arguments: JSON.parse(call.arguments) as unknown }));
        expect({ content, calls }).toEqual(referenceHermes(text));
      }),
      runs,
    );
  });

  test('any chunking gives the same result, in both commit modes', () => {
    fc.assert(
      fc.property(markerSoup, cuts, (text, places) => {
        const whole = hermes.parse(text, { idFactory: idFactory() });
        expect(streamed(text, places, 'call')).toEqual(whole);
        expect(streamed(text, places, 'eager')).toEqual(whole);
      }),
      runs,
    );
  });

  test('content comes in order and is never taken back', () => {
    fc.assert(
      fc.property(markerSoup, fc.constantFrom('call', 'eager'), (text, commit) => {
        const { content } = hermes.parse(text);
        const stream = hermes.stream({ commit });
        let received = '';
        for (const unit of text.split('')) {
          for (const event of stream.feed(unit)) if (event.type === 'content') received += event.text;
          expect((content ?? '').startsWith(received)).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('every error lies in the text, in order, and says something', () => {
    fc.assert(
      fc.property(markerSoup, (text) => {
        let last = -1;
        for (const error of hermes.parse(text).errors) {
          expect(text.startsWith('<tool_call>', error.start)).toBe(true);
          expect(error.start).toBeGreaterThan(last);
          expect(error.end).toBeGreaterThanOrEqual(error.start + '<tool_call>'.length);
          expect(error.end).toBeLessThanOrEqual(text.length);
          expect(error.message).not.toBe('');
          last = error.start;
        }
      }),
      runs,
    );
  });
});

describe('for any calls', () => {
  const name = fc
    .string({ minLength: 1, maxLength: 30, unit: 'binary' })
    .filter((text) => !/^[ \t\r\n]|[ \t\r\n]$/.test(text));
  const calls = fc.array(fc.record({ name, arguments: fc.dictionary(fc.string(), fc.jsonValue()) }), {
    minLength: 1,
    maxLength: 5,
  });

  test('what is written is read back the same', () => {
    fc.assert(
      fc.property(calls, (written) => {
        const { content, toolCalls, errors } = hermes.parse(hermes.render(written));
        expect({ content, errors }).toEqual({ content: null, errors: [] });
        expect(toolCalls.map((call) => call.name)).toEqual(written.map((call) => call.name));
        expect(toolCalls.map((call) => JSON.parse(call.arguments) as unknown)).toEqual(
          written.map((call) => JSON.parse(JSON.stringify(call.arguments)) as unknown),
        );
      }),
    );
  });

  test('arguments given as text keep their bytes, and content beside them is kept or refused', () => {
    fc.assert(
      fc.property(calls, markerSoup, (written, content) => {
        const asText = written.map((call) => ({ name: call.name, arguments: JSON.stringify(call.arguments) }));
        if (!hermes.canRender(asText, { content })) return;
        const result = hermes.parse(hermes.render(asText, { content }));
        expect(result.toolCalls.map((call) => call.arguments)).toEqual(asText.map((call) => call.arguments));
        expect(result.content ?? '').toBe(content.replace(/[ \t\r\n]+$/, ''));
      }),
    );
  });
});
