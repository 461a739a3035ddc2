import { describe, expect, test } from '@jest/globals';
import { type AgentResult, finalResponse, runAgentLoop, toolCallsOf } from '@talaria/agent-loop';
import { getParser } from '@talaria/tool-call-parsers';
import { expectValidHistory } from './expect-valid-history.ts';
import { createTestModel } from './test-model.ts';
import { createTestTools } from './test-tools.ts';

/** Lets a model say these texts, as a server gives them that reads nothing out of them. */
async function runTexts(format: string | null, texts: readonly string[]): Promise<AgentResult> {
  const result = await runAgentLoop([{ role: 'user', content: 'Work.' }], {
    model: createTestModel(texts.map((content) => ({ content }))),
    tools: createTestTools({ echo: { execute: (args) => JSON.stringify(args) } }),
    parser: format === null ? null : getParser(format),
    // A source without chance, as resumed and replayed rollouts have it.
    createId: (prefix) => `${prefix}_same`,
  });
  expectValidHistory(result.messages);
  return result;
}

function idsOf(result: AgentResult): readonly string[] {
  return toolCallsOf(result).map((call) => call.id);
}

describe('ids of calls written as text', () => {
  test('of Mistral are nine letters and digits, given or made, repeated or not', async () => {
    const given = '[TOOL_CALLS]echo[CALL_ID]aB3dE5gH7[ARGS]{}';
    const result = await runTexts('mistral', [`${given}[TOOL_CALLS]echo{}[TOOL_CALLS]echo{}`, given, given, 'Done.']);
    const ids = idsOf(result);
    expect(ids).toHaveLength(5);
    expect(ids[0]).toBe('aB3dE5gH7');
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9]{9}$/);
  });

  test('of Kimi count on through the conversation where the model begins again or counts nothing', async () => {
    const call = (id: string) => `<|tool_call_begin|>${id}<|tool_call_argument_begin|>{}<|tool_call_end|>`;
    const texts = [
      call('functions.echo:0') + call('functions.echo:1'),
      call('functions.echo:0'),
      call('functions.echo'),
      call('functions.echo:4') + call('functions.echo:4'),
      'Done.',
    ];
    expect(idsOf(await runTexts('kimi_k2', texts))).toEqual(
      [0, 1, 2, 3, 4, 5].map((count) => `functions.echo:${count}`),
    );
  });

  test('keep their form where a server read the calls, too', async () => {
    const toolCalls = ['functions.echo:0', 'functions.echo:1'].map((id) => ({ name: 'echo', arguments: {}, id }));
    const result = await runAgentLoop([{ role: 'user', content: 'Work.' }], {
      model: createTestModel([{ toolCalls }, { toolCalls }, { content: 'Done.' }]),
      tools: createTestTools({ echo: { execute: () => 'x' } }),
    });
    expect(idsOf(result)).toEqual([0, 1, 2, 3].map((count) => `functions.echo:${count}`));
    expectValidHistory(result.messages);
  });
});

test('ids that a hostile server repeats by the ten thousand hold nothing up', async () => {
  const count = 20_000;
  const calls = (step: number) => ({
    toolCalls: Array.from({ length: count }, (_, index) => ({
      name: 'x',
      arguments: {},
      id: `x:${count + step * index}`,
    })),
  });
  const result = await runAgentLoop([{ role: 'user', content: 'Work.' }], {
    // Each repeated id finds those that follow taken already.
    model: createTestModel([calls(1), calls(0), { content: 'Done.' }]),
    tools: createTestTools({ x: { isParallelSafe: true, execute: () => '' } }),
    createId: (prefix) => `${prefix}_same`,
  });
  expect(result.stopReason).toBe('completed');
  expect(new Set(idsOf(result)).size).toBe(2 * count);
});

describe('what a parser leaves of an answer is what the model said', () => {
  test.each([
    ['hermes', 'It is 4.<|im_end|>\n', 'It is 4.'],
    ['mistral', 'It is 4.</s>', 'It is 4.'],
    ['ernie45', '<response>\nIt is 4.\n</response>', 'It is 4.'],
    [
      'gpt_oss',
      '<|channel|>analysis<|message|>2 + 2<|end|><|start|>assistant<|channel|>final<|message|>It is 4.<|return|>',
      'It is 4.',
    ],
    ['kimi_k3', '<|open|>response<|sep|>It is 4.<|close|>response<|sep|><|close|>message<|sep|>', 'It is 4.'],
  ])('%s: without calls, too', async (format, text, said) => {
    const result = await runTexts(format, [text]);
    expect(finalResponse(result)).toBe(said);
    expect(result.turns.map((turn) => turn.rawText)).toEqual([text]);
  });

  test.each([
    ['without a parser', null, 'It is 4.<|im_end|>'],
    ['that holds no markup', 'hermes', ' It is 4. \n'],
    ['whose reasoning was not asked to be split', 'hermes', '<think>\n2 + 2\n</think>\n\nIt is 4.'],
  ])('an answer %s stays as it is', async (_case, format, text) => {
    const result = await runTexts(format, [text]);
    expect(finalResponse(result)).toBe(text);
    expect(result.turns.map((turn) => turn.rawText)).toEqual([null]);
  });

  test('an end-of-turn token alone is an empty answer', async () => {
    const result = await runTexts('qwen', ['<|im_end|>', 'It is 4.']);
    expect(result).toMatchObject({ stopReason: 'completed', turnsUsed: 2 });
    expect(result.messages).toHaveLength(2);
  });
});

describe('a broken call in a format whose values are plain text', () => {
  test('is told to the model with its place, and its text stays in the history', async () => {
    const broken =
      '<tool_call>\n<function=echo>\nsurely\n<parameter=text>\nhi\n</parameter>\n</function>\n</tool_call>';
    const mended = broken.replace('surely\n', '');
    const result = await runTexts('qwen3_coder', [broken, mended, 'Done.']);
    expect(result).toMatchObject({ stopReason: 'completed', turnsUsed: 3, toolErrors: [{ kind: 'malformed_call' }] });
    expect(result.messages[1]).toEqual({ role: 'assistant', content: broken });
    expect(result.messages[2]?.content).toMatch(/could not be read[\s\S]*found "s"/);
    expect(toolCallsOf(result).map((call) => call.function.arguments)).toEqual(['{"text": "hi"}']);
  });
});
