import { describe, expect, test } from '@jest/globals';
import { ParserError } from '@talaria/tool-call-parsers';
import {
  createReasoningParser,
  createReasoningParserRegistry,
  getReasoningParser,
  listReasoningParsers,
  type ReasoningEvent,
  reasoningParsers,
  splitReasoning,
  startsInReasoning,
} from '@talaria/tool-call-parsers/reasoning';

type Expected = readonly [reasoning: string | null, content: string];

function split(text: string, parser: string, startsInside?: boolean): Expected {
  const { reasoning, content } = splitReasoning(text, { parser, startsInReasoning: startsInside });
  return [reasoning, content];
}

describe('every family', () => {
  const inside = ['deepseek_r1', 'kimi_k3', 'minimax_m2', 'ernie45'];
  const endingByCalls = ['qwen3', 'glm45', 'kimi_k2'];

  test('of the table is there, under its names', () => {
    expect(listReasoningParsers()).toEqual([
      'cohere_command4',
      'deepseek_r1',
      'deepseek_v3',
      'ernie45',
      'glm45',
      'gpt_oss',
      'identity',
      'kimi',
      'kimi_k2',
      'kimi_k3',
      'minimax_m2',
      'mistral',
      'qwen3',
      'seed_oss',
    ]);
    expect(getReasoningParser('glm47')).toBe(getReasoningParser('glm45'));
    expect(getReasoningParser('deepseek-v3-1')).toBe(getReasoningParser('deepseek_v3'));
    expect(getReasoningParser('gpt-oss')).toBe(getReasoningParser('openai'));
  });

  test('starts where the table says, and says what calls inside it do', () => {
    const named = (holds: (parser: (typeof reasoningParsers)[number]) => boolean): readonly string[] =>
      reasoningParsers.filter(holds).map((parser) => parser.name);
    expect(named((parser) => parser.startsInReasoning)).toEqual(inside);
    expect(named((parser) => parser.callsInReasoning === 'end-reasoning')).toEqual(endingByCalls);
  });

  test.each([
    ['deepseek_r1', '<think>', '</think>'],
    ['deepseek_v3', '<think>', '</think>'],
    ['qwen3', '<think>', '</think>'],
    ['glm45', '<think>', '</think>'],
    ['kimi_k2', '<think>', '</think>'],
    ['kimi', '◁think▷', '◁/think▷'],
    ['kimi_k3', '<|open|>think<|sep|>', '<|close|>think<|sep|>'],
    ['mistral', '[THINK]', '[/THINK]'],
    ['seed_oss', '<seed:think>', '</seed:think>'],
    ['minimax_m2', '<think>', '</think>'],
    ['cohere_command4', '<|START_THINKING|>', '<|END_THINKING|>'],
    ['ernie45', '<think>', '</think>'],
    ['gpt_oss', '<|channel|>analysis<|message|>', '<|end|>'],
  ])('%s splits between %s and %s, with and without an open tag', (name, open, close) => {
    expect(split(`${open}Why?${close}Because.`, name)).toEqual(['Why?', 'Because.']);
    expect(split(`Why?${close}Because.`, name, true)).toEqual(['Why?', 'Because.']);
    expect(split(`${open}Why`, name)).toEqual(['Why', '']);
    expect(split('Why', name, true)).toEqual(['Why', '']);
  });
});

describe('rule 1: the prompt says where an answer begins', () => {
  test.each([
    ['qwen3', '<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n<think>\n', true],
    ['qwen3', '<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n', false],
    ['qwen3', '<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n', false],
    ['qwen3', '<|im_start|>user\nWhat is <think>?<|im_end|>\n<|im_start|>assistant\n', false],
    ['qwen3', '<|im_start|>user\nWhat is </think>?<|im_end|>\n<|im_start|>assistant\n<think>\n', true],
    ['qwen3', '<think>\nHalf of a thought, to be continued', true],
    ['qwen3', '', false],
    ['deepseek_r1', '<｜User｜>Write <think> twice.<｜Assistant｜>', false],
    ['deepseek_r1', '<｜User｜>Hi<｜Assistant｜><think>\n', true],
    ['deepseek_v3', '<｜User｜>Hi<｜Assistant｜></think>', false],
    ['glm45', '[gMASK]<sop><|user|>\n<think>?<|assistant|>\n', false],
    ['mistral', '<s>[INST]Use [THINK].[/INST]', false],
    ['mistral', '<s>[INST]Hi[/INST][THINK]', true],
    ['seed_oss', '<seed:bos>user\n<seed:think><seed:eos><seed:bos>assistant\n', false],
    ['glm45', '[gMASK]<sop><|user|>\nHi<|assistant|>\n<think></think>', false],
    ['minimax_m2', ']~b]user\nSay <think>.[e~[\n]~b]ai\n', false],
    ['minimax_m2', ']~b]user\nHi[e~[\n]~b]ai\n<think>\n', true],
    ['minimax_m2', 'Say <think>.<end_of_sentence>\n<beginning_of_sentence>ai name=MiniMax\n', false],
    ['cohere_command4', '<|CHATBOT_TOKEN|><|START_THINKING|><|END_THINKING|>', false],
    ['cohere_command4', '<|CHATBOT_TOKEN|><|START_THINKING|>', true],
    ['kimi_k3', '<|open|>think<|sep|>', true],
    ['kimi_k3', '<|open|>think<|sep|>x<|close|>think<|sep|>', false],
    ['gpt_oss', '<|start|>assistant<|channel|>analysis<|message|>Well, ', true],
    ['gpt_oss', '<|channel|>analysis<|message|>Well.<|end|><|start|>assistant', false],
    ['gpt_oss', '<|start|>assistant', false],
    ['identity', '<think>', false],
  ])('%s after %j: %j', (parser, prompt, expected) => {
    expect(startsInReasoning(prompt, parser)).toBe(expected);
    expect(startsInReasoning(prompt, getReasoningParser(parser))).toBe(expected);
  });

  test('a prompt that closed the block makes all of the answer content', () => {
    const prompt = '<|im_start|>assistant\n<think>\n\n</think>\n\n';
    const options = { parser: 'deepseek_r1', startsInReasoning: startsInReasoning(prompt, 'deepseek_r1') };
    expect(splitReasoning('Four.', options)).toEqual({ reasoning: null, content: 'Four.' });
  });

  test.each<readonly [string, string, boolean | undefined, Expected]>([
    ['deepseek_r1', 'a</think>b', undefined, ['a', 'b']],
    ['deepseek_r1', 'a</think>b', false, [null, 'a</think>b']],
    ['qwen3', 'a</think>b', undefined, [null, 'a</think>b']],
    ['qwen3', 'a</think>b', true, ['a', 'b']],
    ['deepseek_v3', '<think>a</think>b', undefined, ['a', 'b']],
    ['deepseek_v3', '<think>a</think>b', true, ['a', 'b']],
    ['deepseek_v3', ' <think>a</think>b', false, [null, ' <think>a</think>b']],
    ['gpt_oss', 'a<|end|>b', true, ['a', 'b']],
    ['identity', '<think>a</think>b<|im_end|>', true, [null, '<think>a</think>b<|im_end|>']],
  ])('%s reads %j, said to start inside: %j', (parser, text, startsInside, expected) => {
    expect(split(text, parser, startsInside)).toEqual(expected);
  });
});

describe.each<readonly [string, readonly (readonly [string, boolean, Expected])[]]>([
  [
    'rule 2: an open tag counts only as the first text that is not blank',
    [
      [' \n\t<think>a</think>b', false, ['a', 'b']],
      ['x<think>a</think>b', false, [null, 'x<think>a</think>b']],
      ['<think>a</think>b<think>c</think>d', false, ['a', 'b<think>c</think>d']],
      ['<think>a</think>\n<think>c</think>d', false, ['a', '<think>c</think>d']],
      ['<think><think>a</think>b', false, ['<think>a', 'b']],
      ['<think>a</think>b', true, ['a', 'b']],
      ['x<think>a</think>b', true, ['x<think>a', 'b']],
      ['<thin', false, [null, '<thin']],
      ['<thinking>a', false, [null, '<thinking>a']],
      ['\u00a0<think>a</think>b', false, [null, '\u00a0<think>a</think>b']],
    ],
  ],
  [
    'rule 3: the first close tag ends the block, and is text where there is none',
    [
      ['<think>a</think>b</think>c', false, ['a', 'b</think>c']],
      ['a</think>b', false, [null, 'a</think>b']],
      ['</think>b', true, [null, 'b']],
      ['a</thinks></think>b', true, ['a</thinks>', 'b']],
      ['a</</think>b', true, ['a</', 'b']],
    ],
  ],
  [
    'rule 4: reasoning is trimmed, blank is none, white space behind the close tag goes',
    [
      ['<think>\n a\n\nb \t</think>\r\n\n c \n', false, ['a\n\nb', 'c \n']],
      ['<think>\n\n</think>\n\nc', false, [null, 'c']],
      ['<think></think>', false, [null, '']],
      ['<think>\u00a0</think>c', false, ['\u00a0', 'c']],
      ['  c  ', false, [null, '  c  ']],
    ],
  ],
  [
    'rule 5: cut before the close tag, all is reasoning',
    [
      ['<think>a b ', false, ['a b', '']],
      ['a b', true, ['a b', '']],
      ['a b</thin', true, ['a b</thin', '']],
      ['', true, [null, '']],
      ['<think>', false, [null, '']],
      [' \n', true, [null, '']],
    ],
  ],
  [
    'R2: tokens that end the turn are neither reasoning nor content',
    [
      ['<think>a<|im_end|>\n', false, ['a', '']],
      ['a</s><|im_end|>', true, ['a', '']],
      ['<think>a</think>b<|im_end|>', false, ['a', 'b']],
      ['<think>a</think><|im_end|>', false, ['a', '']],
      ['<think>a<|im_end|>b</think>c', false, ['a<|im_end|>b', 'c']],
      ['<|im_end|>', false, [null, '']],
      ['<|im_end|>', true, [null, '']],
    ],
  ],
])('%s', (_rule, cases) => {
  test.each(cases)('%j, started inside: %j', (text, startsInside, expected) => {
    expect(split(text, 'qwen3', startsInside)).toEqual(expected);
  });
});

describe('the channels of gpt_oss', () => {
  test.each<readonly [string, Expected]>([
    ['Plain.', [null, 'Plain.']],
    [
      '<|channel|>analysis<|message|>t<|end|><|start|>assistant<|channel|>final<|message|>Hi.<|return|>',
      ['t', '<|start|>assistant<|channel|>final<|message|>Hi.<|return|>'],
    ],
    [
      '<|start|>assistant<|channel|>analysis<|message|> t <|end|><|channel|>analysis<|message|>u<|return|>',
      ['t\nu', ''],
    ],
    [
      '<|channel|>analysis<|message|>t<|start|>assistant<|channel|>final<|message|>Hi',
      ['t', '<|start|>assistant<|channel|>final<|message|>Hi'],
    ],
    [
      '<|channel|>analysis to=functions.f<|message|>{}<|call|>',
      [null, '<|channel|>analysis to=functions.f<|message|>{}<|call|>'],
    ],
    [
      '<|start|>assistant to=functions.f<|channel|>analysis<|message|>{}<|call|>',
      [null, '<|start|>assistant to=functions.f<|channel|>analysis<|message|>{}<|call|>'],
    ],
    [
      '<|channel|>final<|message|>x <|channel|>analysis<|message|>y',
      [null, '<|channel|>final<|message|>x <|channel|>analysis<|message|>y'],
    ],
    ['<|channel|>analysis', [null, '<|channel|>analysis']],
    [
      `<|start|>${'x'.repeat(300)}<|channel|>analysis<|message|>y`,
      [null, `<|start|>${'x'.repeat(300)}<|channel|>analysis<|message|>y`],
    ],
    ['<|channel|>analysis <|constrain|>text<|message|>t<|end|>', ['t', '']],
    [
      '<|channel|>final<|message|>say "a<|end|><|channel|>analysis<|message|>t',
      ['t', '<|channel|>final<|message|>say "a<|end|>'],
    ],
    [
      '<|channel|>commentary to=f<|message|>{"a": "\\\\"}<|call|><|channel|>analysis<|message|>t',
      ['t', '<|channel|>commentary to=f<|message|>{"a": "\\\\"}<|call|>'],
    ],
  ])('%j', (text, expected) => {
    expect(split(text, 'gpt_oss')).toEqual(expected);
  });

  test.each([
    'x<|end|>',
    '<|start|>assistant<|channel|>analysis<|message|>x',
    '\\"<|call|><|channel|>analysis<|message|>',
  ])('a string of a call may hold %j, the header of the call a long name', (string) => {
    const name = 'n'.repeat(64);
    const call = `<|start|>assistant<|channel|>commentary to=functions.${name} <|constrain|>json<|message|>{"a": "${string}"}<|call|>`;
    const text = `<|channel|>analysis<|message|>t<|end|>${call}<|channel|>analysis<|message|>u`;
    expect(split(text, 'gpt_oss')).toEqual(['t\nu', call]);
  });
});

describe('a stream', () => {
  function shown(events: readonly ReasoningEvent[]): readonly string[] {
    return events.map((event) => (event.type === 'reasoning' ? `r:${event.text}` : `c${event.start}:${event.text}`));
  }

  test('gives what is certain at once, and the place of content', () => {
    const stream = getReasoningParser('qwen3').stream();
    const steps = ['<thi', 'nk>\n', 'Why ', 'not?</', 'b> </th', 'ink> \n', '\n', 'So', ' it is. '];
    expect(steps.map((delta) => shown(stream.feed(delta)))).toEqual([
      [],
      [],
      ['r:Why'],
      ['r: not?'],
      ['r:</b>'],
      [],
      [],
      ['c32:So'],
      ['c34: it is. '],
    ]);
    expect(stream.finish()).toEqual([]);
  });

  test('that is finished refuses more', () => {
    for (const parser of reasoningParsers) {
      const stream = parser.stream();
      stream.finish();
      expect(() => stream.feed('a')).toThrow(expect.objectContaining({ code: 'parser.finished' }));
      expect(() => stream.finish()).toThrow(ParserError);
    }
  });
});

describe('a parser of your own', () => {
  const own = createReasoningParser({ name: 'own', aliases: ['own_v2'], openTag: '<<', closeTag: '>>' });

  test('is made of its tags', () => {
    expect(splitReasoning('<< a >> b', { parser: own })).toEqual({ reasoning: 'a', content: 'b' });
    expect(own).toMatchObject({
      tags: { open: '<<', close: '>>' },
      startsInReasoning: false,
      callsInReasoning: 'ignore',
    });
    expect(startsInReasoning('x <<', own)).toBe(true);
  });

  test('is found in a registry of its own', () => {
    const registry = createReasoningParserRegistry([...reasoningParsers, own]);
    expect(registry.getReasoningParser('own-v2')).toBe(own);
    expect(registry.listReasoningParsers()).toHaveLength(reasoningParsers.length + 1);
    expect(() => createReasoningParserRegistry([own, { ...own, name: 'other' }])).toThrow(
      expect.objectContaining({ code: 'parser.duplicate' }),
    );
  });

  test('an unknown name is told with those that are known', () => {
    expect(() => splitReasoning('a', { parser: 'qwen' })).toThrow(
      expect.objectContaining({
        code: 'parser.unknown',
        message: expect.stringContaining('There is no reasoning parser "qwen"; known are: cohere_command4, '),
        hint: 'Did you mean "qwen3"?',
      }),
    );
  });
});
