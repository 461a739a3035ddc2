import { describe, expect, test } from '@jest/globals';
import { hermes } from '@talaria/tool-call-parsers/hermes';
import { createAnswerParser } from '@talaria/tool-call-parsers/reasoning';
import { countStringWork } from './string-work.ts';

const small = 2 * 1024;
const large = 8 * 1024;
const call = '<tool_call>{"name":"a","arguments":{"b":[1,"</think>"]}}</tool_call>';

/** A lead, and what is repeated behind it. */
const families: readonly (readonly [string, string, string])[] = [
  ['white space in front', '', ' \n'],
  ['plain words', '', 'word '],
  ['reasoning', '<think>', 'word '],
  ['white space in reasoning', '<think>a', ' '],
  ['beginning of a close tag', '<think>', '</thin'],
  ['angle bracket', '<think>', '<'],
  ['open tag', '', '<think>'],
  ['close tag', '<think>', '</think>'],
  ['white space behind the close tag', '<think></think>', '\n'],
  ['answer', '<think></think>', 'word '],
  ['white space in an answer behind a call', `<think>${call}a`, ' '],
  ['beginning of a late close tag', `<think>${call}`, 'a</thin'],
  ['calls in reasoning', '<think>', call],
  ['calls in the answer', '<think></think>', call],
  ['calls that fail in reasoning', '<think>', '<tool_call>{"name":"a"]'],
  ['a call over the close tag that never ends', '<think><tool_call>{"name":"', '</think>'],
  ['a call over the close tag that fails', '<think><tool_call>{"name":"</think>', '\\"<tool_call>{"'],
  ['end-of-turn tokens', '<think>a', '</s>'],
  ['channels', '', '<|channel|>analysis<|message|>t<|end|>'],
  ['channels and calls that fail', '', '<|channel|>analysis<|message|>t<|end|><tool_call>{]<|end|>'],
  ['a header that never ends', '', '<|start|>'],
  ['a long role', '<|start|>', 'x'],
  ['beginning of a terminator', '<|channel|>analysis<|message|>', '<|en'],
];

function workOf(reasoning: string, text: string, deltaLength: number): number {
  const streams = [
    createAnswerParser({ reasoning, toolCalls: hermes, callsInReasoning: 'ignore' }).stream({ idFactory: () => 'id' }),
    createAnswerParser({ reasoning, toolCalls: hermes, callsInReasoning: 'end-reasoning' }).stream({
      commit: 'eager',
      idFactory: () => 'id',
    }),
  ];
  return countStringWork(() => {
    for (const stream of streams) {
      for (let from = 0; from < text.length; from += deltaLength) stream.feed(text.slice(from, from + deltaLength));
      stream.finish();
    }
  });
}

describe('the work grows with the text and no faster', () => {
  test.each(families)('%s', (_family, lead, unit) => {
    const reasoning = /channel|start/.test(lead + unit) ? 'gpt_oss' : 'qwen3';
    const textOf = (length: number): string => lead + unit.repeat(Math.ceil(length / unit.length));
    for (const deltaLength of [large, 100, 1]) {
      const atSmall = workOf(reasoning, textOf(small), deltaLength);
      const atLarge = workOf(reasoning, textOf(large), deltaLength);
      // Growth with the square would give 16.
      expect(atLarge / atSmall).toBeLessThan((1.5 * large) / small);
      expect(atLarge / large).toBeLessThan(600);
    }
  });
});
