import { describe, expect, test } from '@jest/globals';
import { isTalariaError, type JsonObject } from '@talaria/core';
import fc from 'fast-check';
import { anyRollout } from '../test/rollout-arbitrary.ts';
import { decodeRollout, encodeRollout } from './index.ts';
import { sampleRollout } from './testing/index.ts';

function codeOf(action: () => unknown): string | undefined {
  try {
    action();
  } catch (error) {
    return isTalariaError(error) ? error.code : String(error);
  }
  return undefined;
}

function throughFile(record: JsonObject): unknown {
  return JSON.parse(JSON.stringify(record));
}

describe('encodeRollout and decodeRollout', () => {
  test('what is read from a file is what was written', () => {
    fc.assert(
      fc.property(anyRollout, (rollout) => {
        expect(decodeRollout(throughFile(encodeRollout(rollout)))).toEqual(rollout);
      }),
    );
  });

  test('a file holds snake_case fields in a fixed order', () => {
    const failed = sampleRollout({
      failure: { boundary: 'model', code: 'model.timeout', retryable: true, message: 'No answer' },
      branches: [
        {
          tokenIds: [5, 6],
          mask: [0, 1],
          logprobs: [null, -0.5],
          temperature: 1,
          turnSpans: [[1, 2]],
          finishReasons: ['stop'],
        },
      ],
      toolErrors: [
        {
          turn: 1,
          toolCallId: 'call_1',
          toolName: 'terminal',
          kind: 'crashed',
          arguments: '{}',
          error: 'no',
          toolResult: '{}',
        },
      ],
    });
    const record = encodeRollout(failed);
    const camelCase = JSON.stringify(record).match(/"[a-z]+[A-Z][A-Za-z]*":/g);
    expect(camelCase).toBeNull();
    expect(JSON.stringify(record).startsWith('{"schema":"talaria.rollout/1","rollout_id":')).toBe(true);
    expect(record).toMatchObject({ env: 'sample', rewards: { correct: 1 }, failure_kind: 'model', mask_sample: false });
    expect(record['branches']).toEqual([
      {
        token_ids: [5, 6],
        mask: [0, 1],
        logprobs: [null, -0.5],
        temperature: 1,
        turn_spans: [[1, 2]],
        finish_reasons: ['stop'],
      },
    ]);
  });

  test('fields that another version added are ignored, those inside messages are kept', () => {
    const record = encodeRollout(sampleRollout());
    const messages = [{ role: 'user', content: 'hello', name: 'ada' }];
    const decoded = decodeRollout({ ...record, messages, added_later: { by: 'somebody' } });
    expect(decoded).toEqual(sampleRollout({ messages: [{ role: 'user', content: 'hello', name: 'ada' }] as never }));
  });

  test.each([
    [{ reasoning: 'thought' }, { reasoning_content: 'thought' }],
    [{ reasoning: 'other', reasoning_content: 'thought' }, { reasoning_content: 'thought' }],
    [{ reasoning: null, tool_calls: null, reasoning_details: null }, {}],
    [
      { reasoning_details: [{ type: 'reasoning.text', text: 'x' }] },
      { reasoning_details: [{ type: 'reasoning.text', text: 'x' }] },
    ],
  ])('foreign assistant fields %j are read as %j', (foreign, expected) => {
    const record = encodeRollout(sampleRollout());
    const decoded = decodeRollout({ ...record, messages: [{ role: 'assistant', content: 'hi', ...foreign }] });
    expect(decoded.messages).toEqual([{ role: 'assistant', content: 'hi', ...expected }]);
  });

  test('a record of a newer version is refused with a hint, not misread', () => {
    const record = { ...encodeRollout(sampleRollout()), schema: 'talaria.rollout/2' };
    expect(codeOf(() => decodeRollout(record))).toBe('state.unknown-version');
  });

  test.each([
    ['no object', 7],
    ['null', null],
    ['another schema', { schema: 'something/1' }],
    ['a missing field', { ...encodeRollout(sampleRollout()), model: undefined }],
    ['an infinite number', { ...encodeRollout(sampleRollout()), reward: Number.POSITIVE_INFINITY }],
    [
      'a moment that no calendar has',
      { ...encodeRollout(sampleRollout({ timing: { ...sampleRollout().timing, endedAt: 1e300 } })) },
    ],
    ['a message of no known role', { ...encodeRollout(sampleRollout()), messages: [{ role: 'robot', content: '' }] }],
    [
      'arrays of unequal length in a branch',
      {
        ...encodeRollout(sampleRollout()),
        branches: [
          { token_ids: [1, 2], mask: [1], logprobs: [null], temperature: 1, turn_spans: [], finish_reasons: [] },
        ],
      },
    ],
  ])('%s is refused as an invalid record', (_name, input) => {
    expect(codeOf(() => decodeRollout(input))).toBe('state.invalid-record');
  });

  test('the error of an invalid record names the field', () => {
    const record = { ...encodeRollout(sampleRollout()), rewards: { correct: 'yes' } };
    expect(() => decodeRollout(record)).toThrow(/`rewards\.correct`/);
  });

  test('never throws anything but a typed error, whatever it is given', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true }), (input) => {
        expect(codeOf(() => decodeRollout(input))).toMatch(/^state\./);
      }),
    );
  });
});
