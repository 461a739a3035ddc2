import { describe, expect, test } from '@jest/globals';
import { getParser, type StreamOptions } from '@talaria/tool-call-parsers';
import * as hermesModule from '@talaria/tool-call-parsers/hermes';
import { hermes } from '@talaria/tool-call-parsers/hermes';
import {
  createAnswerParser,
  createReasoningParser,
  getReasoningParser,
  splitReasoning,
  startsInReasoning,
} from '@talaria/tool-call-parsers/reasoning';

/** Calls a function as plain JavaScript may: with anything. */
function use(called: (...given: never[]) => unknown, ...given: unknown[]): () => unknown {
  return () => Reflect.apply(called, undefined, given);
}

function refuses(message: string, hint: string): unknown {
  return expect.objectContaining({ name: 'ParserError', code: 'parser.option', message, hint, retryable: false });
}

describe('a commit mode that there is not', () => {
  const modes = [
    ['Eager', '"Eager"'],
    ['', '""'],
    [null, 'null'],
    [true, 'boolean'],
    [Symbol('eager'), 'symbol'],
    [hermesModule, 'object'],
    ['x'.repeat(1000), `"${'x'.repeat(80)}"`],
  ] as const;

  test.each(modes)('is refused: %p', (commit, found) => {
    const refused = refuses(`commit must be "call" or "eager", not ${found}`, 'Give "call" or "eager".');
    const answers = createAnswerParser({ reasoning: 'identity', toolCalls: hermes });
    expect(use(hermes.stream, { commit })).toThrow(refused);
    expect(use(answers.stream, { commit })).toThrow(refused);
    expect(use(hermes.parse, 'text', { commit })).toThrow(refused);
  });

  test.each<StreamOptions | undefined>([undefined, {}, { commit: undefined }, { commit: 'call' }, { commit: 'eager' }])(
    'is none of %p',
    (options) => {
      expect(hermes.stream(options).feed('text')).toEqual([{ type: 'content', text: 'text' }]);
    },
  );
});

test.each([
  [undefined, 'undefined'],
  [null, 'null'],
  [5, 'number'],
  [Object.create(null), 'object'],
] as const)('a delta that is no text is refused: %p', (delta, found) => {
  expect(use(hermes.stream().feed, delta)).toThrow(
    expect.objectContaining({ code: 'parser.text', message: `delta must be a string, not ${found}` }),
  );
});

describe('createAnswerParser', () => {
  test.each([
    ['the name of a parser', 'hermes', '"hermes"'],
    ['the function that gives parsers', getParser, 'function'],
    ['a module', hermesModule, 'object'],
    ['a reasoning parser', getReasoningParser('qwen3'), 'object'],
    ['half a parser', { parse: hermes.parse }, 'object'],
    ['nothing', undefined, 'undefined'],
  ])('refuses %s at once where the tool-call parser must be', (_title, toolCalls, found) => {
    const allowed = 'a tool-call parser, as getParser(name) gives';
    expect(use(createAnswerParser, { reasoning: 'qwen3', toolCalls })).toThrow(
      refuses(`toolCalls must be ${allowed}, not ${found}`, `Give ${allowed}.`),
    );
  });

  test.each([
    ['a tool-call parser', hermes, 'object'],
    ['nothing', undefined, 'undefined'],
  ])('refuses %s where the reasoning parser must be', (_title, reasoning, found) => {
    const allowed = 'a name or a reasoning parser, as getReasoningParser(name) gives';
    expect(use(createAnswerParser, { reasoning, toolCalls: hermes })).toThrow(
      refuses(`reasoning must be ${allowed}, not ${found}`, `Give ${allowed}.`),
    );
  });

  test.each(['qwen3', 'gpt_oss', 'identity'])('refuses what is no policy for calls in reasoning: %s', (reasoning) => {
    expect(use(createAnswerParser, { reasoning, toolCalls: hermes, callsInReasoning: 'x' })).toThrow(
      refuses('callsInReasoning must be "end-reasoning" or "ignore", not "x"', 'Give "end-reasoning" or "ignore".'),
    );
  });
});

describe('splitReasoning and startsInReasoning', () => {
  test.each([
    ['qwen3', '"qwen3"'],
    [undefined, 'undefined'],
    [null, 'null'],
  ])('refuses %p in place of options', (options, found) => {
    expect(use(splitReasoning, 'text', options)).toThrow(
      refuses(`options must be an object { parser }, not ${found}`, 'Give an object { parser }.'),
    );
  });

  test('refuse what is no reasoning parser', () => {
    const allowed = 'a name or a reasoning parser, as getReasoningParser(name) gives';
    const refused = (found: string): unknown => refuses(`parser must be ${allowed}, not ${found}`, `Give ${allowed}.`);
    expect(use(splitReasoning, 'text', {})).toThrow(refused('undefined'));
    expect(use(splitReasoning, 'text', getReasoningParser('qwen3'))).toThrow(refused('undefined'));
    expect(use(splitReasoning, 'text', { parser: hermes })).toThrow(refused('object'));
    expect(use(startsInReasoning, 'prompt', hermes)).toThrow(refused('object'));
  });
});

describe('createReasoningParser', () => {
  const tags = { name: 'own', openTag: '<<', closeTag: '>>' };

  test.each([
    ['openTag', '', '""'],
    ['closeTag', '', '""'],
    ['openTag', undefined, 'undefined'],
    ['closeTag', /x/, 'object'],
  ])('refuses %s %p', (option, tag, found) => {
    const allowed = 'a text of one character or more';
    expect(use(createReasoningParser, { ...tags, [option]: tag })).toThrow(
      refuses(`${option} must be ${allowed}, not ${found}`, `Give ${allowed}.`),
    );
  });

  test('refuses what is no policy for calls in reasoning', () => {
    expect(use(createReasoningParser, { ...tags, callsInReasoning: 'End-reasoning' })).toThrow(
      refuses(
        'callsInReasoning must be "end-reasoning" or "ignore", not "End-reasoning"',
        'Give "end-reasoning" or "ignore".',
      ),
    );
  });
});
