import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { anyRollout } from '../test/rollout-arbitrary.ts';
import { messageReasoning, rolloutText, sampleIdOf, toRolloutRow, toSampleRow } from './index.ts';
import { sampleRollout } from './testing/index.ts';

describe('toRolloutRow', () => {
  test('tells the reward and the metadata of one trajectory', () => {
    expect(toRolloutRow(sampleRollout())).toMatchObject({
      rollout_id: 'rollout_1',
      env: 'sample',
      reward: 1,
      rewards_json: '{"correct":1}',
      stop_reason: 'completed',
      tool_calls: 1,
      prompt: 'What is 2 + 2?',
      response: 'It is 4.',
      item_json: '{"question":"What is 2 + 2?"}',
      started_at: '2026-01-01T00:00:00.000Z',
    });
  });

  test('every row has the same columns in the same order, each of one type or null', () => {
    const model = toRolloutRow(
      sampleRollout({ failure: { boundary: 'model', code: 'model.x', retryable: true, message: 'm' }, costUsd: 1 }),
    );
    fc.assert(
      fc.property(anyRollout, (rollout) => {
        const row = toRolloutRow(rollout);
        expect(Object.keys(row)).toEqual(Object.keys(model));
        for (const [column, value] of Object.entries(row)) {
          const mayBeNull = ['reward', 'cost_usd', 'failure_kind', 'error'].includes(column);
          if (!(mayBeNull && value === null)) expect([column, typeof value]).toEqual([column, typeof model[column]]);
        }
      }),
    );
  });
});

describe('toSampleRow', () => {
  test('has what an evaluation tells of a sample', () => {
    expect(toSampleRow(sampleRollout(), { isCorrect: true })).toMatchObject({
      sample_id: 'c0ffee:0/0',
      item_id: 'c0ffee',
      prompt: 'What is 2 + 2?',
      response: 'It is 4.',
      score: 1,
      correct: true,
      finish_reason: 'stop',
      stop_reason: 'completed',
      turns: 2,
    });
  });

  test('says nothing about right or wrong where the environment does not', () => {
    expect(toSampleRow(sampleRollout())['correct']).toBeNull();
  });

  test('a sample is known by the same name in every attempt', () => {
    expect(sampleIdOf(sampleRollout({ attempt: 1 }))).toBe(sampleIdOf(sampleRollout({ attempt: 2 })));
    expect(sampleIdOf(sampleRollout({ sample: 1 }))).not.toBe(sampleIdOf(sampleRollout({ sample: 2 })));
  });
});

describe('rolloutText', () => {
  test('labels each block by its kind', () => {
    expect(rolloutText(sampleRollout())).toBe(
      [
        '[SYSTEM] Be brief.',
        '[USER] What is 2 + 2?',
        '[REASONING] I will compute it.',
        '[TOOL CALL] terminal({"command":"expr 2 + 2"})',
        '[TOOL RESULT] {"output":"4","exit_code":0}',
        '[ASSISTANT] It is 4.',
      ].join('\n\n'),
    );
  });

  test('cuts reasoning at 300 characters, arguments at 200, results at 500', () => {
    const text = rolloutText({
      messages: [
        {
          role: 'assistant',
          content: 'a'.repeat(1000),
          reasoning_content: 'r'.repeat(1000),
          tool_calls: [{ id: '1', type: 'function', function: { name: 't', arguments: 'j'.repeat(1000) } }],
        },
        { role: 'tool', tool_call_id: '1', content: 'o'.repeat(1000) },
      ],
    });
    const longest = (letter: string): number =>
      Math.max(...(text.match(new RegExp(`${letter}{2,}`, 'g')) ?? []).map((run) => run.length));
    expect([longest('r'), longest('j'), longest('o'), longest('a')]).toEqual([300, 200, 500, 1000]);
  });
});

describe('messageReasoning', () => {
  test.each([
    [{ reasoning_content: 'a', reasoning: 'b' }, 'a'],
    [{ reasoning_content: '', reasoning: 'b' }, 'b'],
    [{ reasoning_details: [{ text: 'a' }, { summary: 'b' }, { data: 'c' }, null] }, 'a\nb'],
    [{ reasoning_details: [{ data: 'c' }] }, null],
    [{ reasoning_details: 'text' }, null],
    [{}, null],
  ])('of %j is %j', (message, expected) => {
    expect(messageReasoning(message)).toBe(expected);
  });
});
