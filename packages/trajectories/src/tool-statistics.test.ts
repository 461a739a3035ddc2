import { expect, test } from '@jest/globals';
import type { RolloutToolCall, RolloutTurn } from './rollout.ts';
import { sampleRollout } from './testing/sample-rollout.ts';
import { countToolCalls } from './tool-statistics.ts';

test('counts calls by what the dispatcher decided, those of scripts apart', () => {
  const [template] = sampleRollout().turns;
  if (template === undefined) throw new Error('The sample has no turn');
  const call = (name: string, isError: boolean, nestedCalls: RolloutToolCall['nestedCalls'] = []): RolloutToolCall => ({
    id: 'call',
    name,
    isError,
    startedAtMs: 0,
    durationMs: 1,
    coercions: [],
    storedAt: null,
    nestedCalls,
  });
  const nested = { toolCallId: 'call.1', toolName: 'read_file', isError: true, errorKind: 'not_found', durationMs: 1 };
  const turns: RolloutTurn[] = [
    { ...template, toolCalls: [call('terminal', false), call('terminal', true)] },
    { ...template, toolCalls: [call('execute_code', false, [nested, { ...nested, isError: false, errorKind: null }])] },
  ];
  expect(countToolCalls(turns)).toEqual({
    direct: {
      terminal: { count: 2, success: 1, failure: 1 },
      execute_code: { count: 1, success: 1, failure: 0 },
    },
    nested: { read_file: { count: 2, success: 1, failure: 1 } },
  });
  expect(countToolCalls([])).toEqual({ direct: {}, nested: {} });
});
