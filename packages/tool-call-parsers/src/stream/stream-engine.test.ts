import { describe, expect, test } from '@jest/globals';
import { foldEvents, type ParseResult } from '@talaria/tool-call-parsers';
import { hermes } from '@talaria/tool-call-parsers/hermes';
import { mistral } from '@talaria/tool-call-parsers/mistral';

const calls = [1, 2, 3].map((n) => ({ name: 'a', arguments: { n } }));

/** What `text` says to a caller whose ids are made so, read whole and in single units. */
function readWith(parser: typeof hermes, text: string, makeId: () => unknown): ParseResult {
  const idFactory = makeId as () => string;
  const whole = parser.parse(text, { idFactory });
  for (const commit of ['call', 'eager'] as const) {
    const stream = parser.stream({ idFactory, commit });
    const events = [...text.split('').flatMap((unit) => stream.feed(unit)), ...stream.finish()];
    const { errors, ...said } = foldEvents(events);
    expect(said).toEqual({ content: whole.content, toolCalls: whole.toolCalls });
    // Eager mode asks for an id earlier, so a factory that fails does so at another place.
    expect(errors.map((error) => error.kind)).toEqual(whole.errors.map((error) => error.kind));
  }
  return whole;
}

describe.each([hermes, mistral])('$name: an id factory', (parser) => {
  const text = parser.render(calls);

  test.each([[5], [{}], [null], [undefined], [''], [' '], ['x'.repeat(100_000)]])(
    'that gives %p each time: all ids are text, and none is there twice',
    (id) => {
      const { toolCalls, errors } = readWith(parser, text, () => id);
      expect(errors).toEqual([]);
      for (const call of toolCalls) expect(call.id).toEqual(expect.stringMatching(/./));
      expect(new Set(toolCalls.map((call) => call.id)).size).toBe(calls.length);
    },
  );

  test.each([
    ['an error', new Error('no ids')],
    ['text', 'no ids'],
    ['nothing', undefined],
    ['an object without a text', Object.create(null) as object],
    ['a symbol', Symbol('no')],
  ])('that throws %s loses no text', (_title, thrown) => {
    const throwIt = (): never => {
      throw thrown;
    };
    const result = readWith(parser, text, throwIt);
    expect(result).toMatchObject({ content: text, toolCalls: [], errors: [{ kind: 'internal', start: 0 }] });
  });

  test('that gives what is no text at all loses none either', () => {
    expect(readWith(parser, text, () => Symbol('id'))).toMatchObject({ content: text, toolCalls: [] });
  });

  test('that feeds the stream it serves does no harm', () => {
    const stream = parser.stream({
      idFactory: () => {
        stream.feed('more');
        return 'id';
      },
    });
    expect(() => [...stream.feed(text), ...stream.finish()]).not.toThrow();
  });
});

test('a stream that got nothing, or nothing but empty text, says nothing', () => {
  for (const commit of ['call', 'eager'] as const) {
    const stream = hermes.stream({ commit });
    expect([stream.feed(''), stream.feed('')]).toEqual([[], []]);
    expect(stream.finish()).toEqual([]);
    expect(() => stream.finish()).toThrow(expect.objectContaining({ code: 'parser.finished' }));
    expect(hermes.stream({ commit }).finish()).toEqual([]);
  }
});
