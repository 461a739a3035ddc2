import { describe, expect, test } from '@jest/globals';
import { hermes } from '@talaria/tool-call-parsers/hermes';
import {
  type AnswerEvent,
  type AnswerResult,
  type AnswerStreamOptions,
  createAnswerParser,
  foldAnswerEvents,
  getReasoningParser,
} from '@talaria/tool-call-parsers/reasoning';

const ending = createAnswerParser({ reasoning: 'qwen3', toolCalls: hermes });
const ignoring = createAnswerParser({ reasoning: 'qwen3', toolCalls: hermes, callsInReasoning: 'ignore' });

function call(name: string, argumentsText = '{}'): string {
  return `<tool_call>\n{"name": "${name}", "arguments": ${argumentsText}}\n</tool_call>`;
}

type Summary = readonly [reasoning: string | null, content: string | null, ...names: string[]];

function summary(result: AnswerResult): Summary {
  return [result.reasoning, result.content, ...result.toolCalls.map(({ name }) => name)];
}

function countingIds(): () => string {
  let count = 0;
  return () => `id${++count}`;
}

function byUnits(text: string, options: AnswerStreamOptions): readonly AnswerEvent[] {
  const stream = ending.stream(options);
  return [...text.split('').flatMap((unit) => stream.feed(unit)), ...stream.finish()];
}

describe('reasoning first, calls in what remains', () => {
  test.each<readonly [string, Summary]>([
    [`<think>a</think>\n\nb\n${call('f')}`, ['a', 'b', 'f']],
    [`<think>a</think>${call('f')}`, ['a', null, 'f']],
    [`<think>a</think>${call('f')}\n${call('g')}\nb`, ['a', 'b', 'f', 'g']],
    [call('f'), [null, null, 'f']],
    ['  plain\n', [null, '  plain\n']],
    ['<think>a</think>', ['a', '']],
    ['<think>a', ['a', '']],
    [`b <think>a ${call('f')}</think>`, [null, 'b <think>a\n</think>', 'f']],
  ])('%j under both policies', (text, expected) => {
    expect(summary(ending.parse(text))).toEqual(expected);
    expect(summary(ignoring.parse(text))).toEqual(expected);
  });
});

describe('rule 6: calls that begin inside the reasoning', () => {
  const inString = call('f', '{"a": "</think>"}');
  test.each<readonly [string, Summary, Summary]>([
    // The text, what it says where a call ends the reasoning, and where calls in it are ignored.
    [`<think>a ${call('f')}`, ['a', null, 'f'], [`a ${call('f')}`, '']],
    [`<think>a ${call('f')}</think>\n\nb`, ['a', 'b', 'f'], [`a ${call('f')}`, 'b']],
    [`<think>${call('f')}${call('g')}</think>`, [null, null, 'f', 'g'], [call('f') + call('g'), '']],
    [`<think>a ${call('f')}\n</think>\n${call('g')}\nb`, ['a', 'b', 'f', 'g'], [`a ${call('f')}`, 'b', 'g']],
    [`<think>a ${call('f')} b </think> c`, ['a', 'b  c', 'f'], [`a ${call('f')} b`, 'c']],
    [`<think>a ${call('f')} b </think>${call('g')}`, ['a', 'b', 'f', 'g'], [`a ${call('f')} b`, null, 'g']],
    [`<think>a ${call('f')} b</think>c</think>d`, ['a', 'bc</think>d', 'f'], [`a ${call('f')} b`, 'c</think>d']],
    [`<think>a ${call('f')} b</thi`, ['a', 'b</thi', 'f'], [`a ${call('f')} b</thi`, '']],
    [
      `<think>a ${inString}b`,
      ['a', 'b', 'f'],
      ['a <tool_call>\n{"name": "f", "arguments": {"a": "', '"}}\n</tool_call>b'],
    ],
    ['<think>a <tool_call> b</think>c', ['a <tool_call> b', 'c'], ['a <tool_call> b', 'c']],
    ['<think>a <tool_call>{"name": "f"', ['a <tool_call>{"name": "f"', ''], ['a <tool_call>{"name": "f"', '']],
    [
      `<think>a <tool_call>{"name": "</think>b${call('f')}`,
      ['a <tool_call>{"name": "', 'b', 'f'],
      ['a <tool_call>{"name": "', 'b', 'f'],
    ],
    [`<think>a <tool_call>b ${call('f')}`, ['a <tool_call>b', null, 'f'], [`a <tool_call>b ${call('f')}`, '']],
    [`<think>a ${call('f')}<|im_end|>`, ['a', null, 'f'], [`a ${call('f')}`, '']],
    [`<think>a\n<tool_call>{"name": "f"}<|im_end|>\n`, ['a', null, 'f'], ['a\n<tool_call>{"name": "f"}', '']],
  ])('%j', (text, ended, ignored) => {
    expect(summary(ending.parse(text))).toEqual(ended);
    expect(summary(ignoring.parse(text))).toEqual(ignored);
    for (const commit of ['call', 'eager'] as const) {
      expect(foldAnswerEvents(byUnits(text, { commit, idFactory: countingIds() }))).toEqual(
        ending.parse(text, { idFactory: countingIds() }),
      );
    }
  });

  test('the policy is that of the family, unless one is given or the family has no tags', () => {
    const policy = (reasoning: string, callsInReasoning?: 'end-reasoning' | 'ignore'): string =>
      createAnswerParser({ reasoning, toolCalls: hermes, callsInReasoning }).callsInReasoning;
    expect(policy('glm45')).toBe('end-reasoning');
    expect(policy('seed_oss')).toBe('ignore');
    expect(policy('seed_oss', 'end-reasoning')).toBe('end-reasoning');
    expect(policy('gpt_oss', 'end-reasoning')).toBe('ignore');
  });

  test('a call is held until it is complete, the next ones flow', () => {
    const stream = ending.stream({ commit: 'eager', idFactory: countingIds() });
    const feed = (delta: string): readonly AnswerEvent[] => stream.feed(delta);
    expect(feed('<think>a <tool_call>{"name": "f", "arguments": {"x": ')).toEqual([{ type: 'reasoning', text: 'a' }]);
    expect(feed('1}')).toEqual([]);
    expect(feed('}</tool_call>')).toEqual([
      { type: 'call-start', index: 0, id: 'id1', name: 'f' },
      { type: 'call-arguments', index: 0, delta: '{"x": 1}' },
      { type: 'call-end', index: 0, arguments: '{"x": 1}' },
    ]);
    expect(feed('</think><tool_call>{"name": "g", "arguments": {"y')).toEqual([
      { type: 'call-start', index: 1, id: 'id2', name: 'g' },
      { type: 'call-arguments', index: 1, delta: '{"y' },
    ]);
  });

  test('a call that was withdrawn leaves no trace, and its id to the next', () => {
    const text = `<think>a <tool_call>{"name": "f", "arguments": {]</think>b${call('g')}`;
    const events = byUnits(text, { commit: 'eager', idFactory: countingIds() });
    expect(events.map((event) => event.type)).not.toContain('call-abort');
    expect(foldAnswerEvents(events)).toEqual({
      reasoning: 'a <tool_call>{"name": "f", "arguments": {]',
      content: 'b',
      toolCalls: [{ id: 'id1', name: 'g', arguments: '{}' }],
      errors: [],
    });
  });
});

describe('reasoning in the middle of a call', () => {
  test.each(['call', 'eager'] as const)('does not part the events of the call: %s', (commit) => {
    const parser = createAnswerParser({ reasoning: 'gpt_oss', toolCalls: hermes });
    const text = '<tool_call>{"name": "f", "arguments": {<|channel|>analysis<|message|>why<|end|>}}</tool_call>';
    const stream = parser.stream({ commit, idFactory: countingIds() });
    const events = [...text.split('').flatMap((unit) => stream.feed(unit)), ...stream.finish()];
    const types = events.map((event) => event.type).filter((type, index, all) => type !== all[index - 1]);
    const reasoningAt = types.indexOf('reasoning');
    types.splice(reasoningAt, 1);
    expect([0, 3]).toContain(reasoningAt);
    expect(types).toEqual(['call-start', 'call-arguments', 'call-end']);
    expect(foldAnswerEvents(events)).toEqual(parser.parse(text, { idFactory: countingIds() }));
  });
});

describe('errors', () => {
  test.each([
    ['<think>a</think>\n b <tool_call>{"name": 1}', 'ignore'],
    ['<think>a</think>\n b <tool_call>{"name": 1}', 'end-reasoning'],
    ['<think>a <tool_call>{"name": 1}', 'end-reasoning'],
    [`<think>a <tool_call>{"name": 1} ${call('f')}`, 'end-reasoning'],
    [`<think>a ${call('f')}</think> <tool_call>{"name": 1}`, 'end-reasoning'],
    [' b <tool_call>{"name": 1}', 'end-reasoning'],
  ] as const)('%j (%s): they are told with their place in the whole text', (text, callsInReasoning) => {
    const { errors } = createAnswerParser({ reasoning: 'qwen3', toolCalls: hermes, callsInReasoning }).parse(text);
    const start = text.indexOf('<tool_call>{"name": 1');
    const end = start + '<tool_call>{"name": 1}'.length;
    expect(errors).toEqual([
      { kind: 'bad-name', start, end, message: expect.stringMatching(new RegExp(`at offset ${end}$`)) },
    ]);
  });

  test('of reasoning that its close tag ends are none', () => {
    expect(ending.parse('<think>a <tool_call>{"name": 1} </think>b').errors).toEqual([]);
    expect(ignoring.parse('<think>a <tool_call>{"name": 1}').errors).toEqual([]);
  });

  test('behind pieces of reasoning are told with their place in the whole text', () => {
    const parser = createAnswerParser({ reasoning: 'gpt_oss', toolCalls: hermes });
    const thought = '<|channel|>analysis<|message|>t<|end|>';
    const text = `${thought}a<|end|>${thought}<tool_call>{]<|end|>`;
    const { reasoning, errors } = parser.parse(text);
    const start = text.indexOf('<tool_call>');
    const end = text.indexOf(']<|end|>');
    expect(reasoning).toBe('t\nt');
    expect(errors).toMatchObject([{ start, end, message: expect.stringContaining(`at offset ${end}`) }]);
  });

  test('a text cut by the length limit is said to be', () => {
    const stream = ending.stream();
    const events = [...stream.feed('<think>a</think><tool_call>{"name": "f"'), ...stream.finish('length')];
    expect(foldAnswerEvents(events).errors).toEqual([
      expect.objectContaining({ kind: 'truncated', message: expect.stringContaining('length') }),
    ]);
  });
});

test('a stream that is finished refuses more', () => {
  for (const parser of [ending, ignoring]) {
    const stream = parser.stream();
    stream.finish();
    expect(() => stream.feed('a')).toThrow(expect.objectContaining({ code: 'parser.finished' }));
    expect(() => stream.finish()).toThrow(expect.objectContaining({ code: 'parser.finished' }));
  }
});

test('an answer that starts inside is read so', () => {
  const parser = createAnswerParser({ reasoning: getReasoningParser('glm47'), toolCalls: hermes });
  expect(summary(parser.parse(`a</think>b${call('f')}`, { startsInReasoning: true }))).toEqual(['a', 'b', 'f']);
});

test('a very long answer of very many calls is no trouble', () => {
  const calls = call('f').repeat(40_000);
  expect(ending.parse(`<think>${calls}`, { idFactory: countingIds() }).toolCalls).toHaveLength(40_000);
  expect(ignoring.parse(`<think></think>${calls}`, { idFactory: countingIds() }).toolCalls).toHaveLength(40_000);
});
