import { describe, expect, test } from '@jest/globals';
import { isTalariaError } from '@talaria/core';
import fc from 'fast-check';
import { anyRollout } from '../test/rollout-arbitrary.ts';
import { type TokenBranch, toGroupLine } from './index.ts';
import { sampleRollout } from './testing/index.ts';

/** The fields of `atroposlib`'s group file, in the order of the specification, and ours behind them. */
const fields = [
  'tokens',
  'masks',
  'scores',
  'advantages',
  'ref_logprobs',
  'messages',
  'group_overrides',
  'overrides',
  'images',
  'distill_token_ids',
  'distill_logprobs',
  'generation_params',
  'inference_logprobs',
  'meta',
];

const branch: TokenBranch = {
  tokenIds: [10, 11, 12],
  mask: [0, 1, 1],
  logprobs: [null, -0.25, -1.5],
  temperature: 1,
  turnSpans: [[1, 3]],
  finishReasons: ['stop'],
};

describe('toGroupLine', () => {
  test('has the fields of upstream, always all of them, and meta', () => {
    const line = toGroupLine([sampleRollout(), sampleRollout({ rolloutId: 'rollout_2', sample: 1, reward: 0 })]);
    expect(Object.keys(line)).toEqual(fields);
    expect(line['scores']).toEqual([1, 0]);
    expect(line).toMatchObject({
      advantages: null,
      overrides: null,
      generation_params: { temperature: 1, max_tokens: 256 },
      meta: {
        schema: 1,
        env: 'sample',
        index: 0,
        item_id: 'c0ffee',
        group_id: 'group_1',
        created_at: '2026-01-01T00:00:00.050Z',
        model: 'scripted',
        tools: ['terminal'],
        toolsets: ['terminal'],
        rollouts: [
          { task_id: 'rollout_1', turns_used: 2, stop_reason: 'completed', wall_s: 0.05, error: null },
          { task_id: 'rollout_2' },
        ],
      },
    });
  });

  test('without tokens of the engine each row is one masked placeholder, and meta says so', () => {
    const line = toGroupLine([sampleRollout(), sampleRollout()]);
    expect(line).toMatchObject({
      tokens: [[0], [0]],
      masks: [[-100], [-100]],
      inference_logprobs: null,
      meta: { placeholder_tokens: true },
    });
  });

  test('with them the last branch is taken, masked where the model did not sample', () => {
    const first: TokenBranch = { ...branch, tokenIds: [1, 2, 3] };
    const line = toGroupLine([sampleRollout({ branches: [first, branch], tokenSource: 'engine' })]);
    expect(line).toMatchObject({
      tokens: [[10, 11, 12]],
      masks: [[-100, 11, 12]],
      inference_logprobs: [[1, -0.25, -1.5]],
      meta: { placeholder_tokens: false },
    });
  });

  test('an unknown log-probability is never written as a number', () => {
    const unknown: TokenBranch = { ...branch, logprobs: [null, null, -1.5] };
    const line = toGroupLine([sampleRollout({ branches: [unknown] }), sampleRollout({ branches: [branch] })]);
    expect(line['inference_logprobs']).toBeNull();
  });

  test('messages keep their fields; absent content becomes an empty text', () => {
    const [row] = toGroupLine([sampleRollout()])['messages'] as unknown[][];
    expect(row?.[2]).toEqual({
      role: 'assistant',
      content: '',
      reasoning_content: 'I will compute it.',
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'terminal', arguments: '{"command":"expr 2 + 2"}' } },
      ],
    });
  });

  test('an item of its own identifier is known by it', () => {
    expect(toGroupLine([sampleRollout({ item: { id: 42 } })])).toMatchObject({ meta: { item_id: '42' } });
  });

  test.each([
    ['state.empty-group', []],
    ['state.unscored-rollout', [sampleRollout({ reward: null })]],
  ])('%s is an error', (code, rollouts) => {
    expect(() => toGroupLine(rollouts)).toThrow(expect.objectContaining({ code }));
    try {
      toGroupLine(rollouts);
    } catch (error) {
      expect(isTalariaError(error) && error.hint).toBeTruthy();
    }
  });

  test('all rows have one length, masks are -100 or the token, and optional lists have one entry per rollout', () => {
    const scored = anyRollout.map((rollout) => ({ ...rollout, reward: rollout.reward ?? 0 }));
    fc.assert(
      fc.property(fc.array(scored, { minLength: 1, maxLength: 4 }), (rollouts) => {
        const line = JSON.parse(JSON.stringify(toGroupLine(rollouts))) as Record<string, number[][] | null>;
        const { tokens, masks, inference_logprobs: logprobs } = line;
        expect(line['scores']).toHaveLength(rollouts.length);
        expect(tokens).toHaveLength(rollouts.length);
        for (const [row, rowTokens] of (tokens ?? []).entries()) {
          expect(masks?.[row]).toHaveLength(rowTokens.length);
          expect(masks?.[row]?.every((mask, position) => mask === -100 || mask === rowTokens[position])).toBe(true);
          if (logprobs) expect(logprobs[row]).toHaveLength(rowTokens.length);
        }
      }),
    );
  });
});
