import { describe, expect, test } from '@jest/globals';
import { type AnswerParser, createAnswerParser, foldAnswerEvents } from '@talaria/tool-call-parsers/reasoning';
import { type TestedFormat, testedFormats } from './tested-formats.ts';

/** Ids that a format of any kind can keep: nine characters, counting up. */
function countingIds(): () => string {
  let count = 0;
  return () => String(++count).padStart(9, '0');
}

describe.each(testedFormats.map((format) => [format.name, format] as const))('%s behind reasoning', (_name, format) => {
  const { parser: toolCalls, vectors }: TestedFormat = format;

  test.each(['ignore', 'end-reasoning'] as const)(
    'reads what follows the close tag as if it stood alone: %s',
    (policy) => {
      const answers = createAnswerParser({ reasoning: 'qwen3', toolCalls, callsInReasoning: policy });
      for (const { input, tools } of vectors) {
        const content = input.replace(/^[ \t\r\n]+/, '');
        const alone = toolCalls.parse(content, { tools, idFactory: countingIds() });
        const lead = '<think>Why?</think>\n\n';
        const { errors, ...answer } = answers.parse(lead + content, { tools, idFactory: countingIds() });
        expect(answer).toEqual({ reasoning: 'Why?', content: alone.content, toolCalls: alone.toolCalls });
        expect(errors.map(({ kind, start, end }) => [kind, start, end])).toEqual(
          alone.errors.map(({ kind, start, end }) => [kind, start + lead.length, end + lead.length]),
        );
      }
    },
  );

  test('gives the same answer in any chunking, where a call may end the reasoning', () => {
    const answers = createAnswerParser({ reasoning: 'qwen3', toolCalls, callsInReasoning: 'end-reasoning' });
    for (const { input, tools } of vectors) {
      const half = input.slice(0, input.length / 2);
      for (const text of [`<think>Why ${input} </think>\nSo.`, `<think>${half}</think>${input}`]) {
        const whole = answers.parse(text, { tools, idFactory: countingIds() });
        for (const length of [1, 7]) {
          for (const commit of ['call', 'eager'] as const) {
            const stream = answers.stream({ commit, tools, idFactory: countingIds() });
            expect(foldAnswerEvents(fedBy(stream, text, length))).toEqual(whole);
          }
        }
      }
    }
  });
});

function fedBy(
  stream: ReturnType<AnswerParser['stream']>,
  text: string,
  length: number,
): ReturnType<typeof stream.feed> {
  const events = [];
  for (let from = 0; from < text.length; from += length) events.push(...stream.feed(text.slice(from, from + length)));
  return [...events, ...stream.finish()];
}
