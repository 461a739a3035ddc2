import { expect, test } from '@jest/globals';
import { noUsage } from '@talaria/core';
import type { RolloutSummary, RunProgress } from '@talaria/environments';
import { createFakeHost } from '../test/fake-host.ts';
import { openProgressDisplay } from './progress-display.ts';
import { describeProgress } from './progress-line.ts';

const rollout: RolloutSummary = {
  rolloutId: 'rollout_1',
  itemKey: 'abc:0',
  label: 'greeting',
  groupIndex: 0,
  sample: 1,
  attempt: 1,
  reward: 0.5,
  rewardParts: {},
  isValid: true,
  turnsUsed: 3,
  toolCalls: 2,
  toolErrors: 0,
  stopReason: 'completed',
  failure: null,
  usage: noUsage,
  costUsd: 0,
  durationMs: 10,
  isResumed: false,
};

const progress: RunProgress = {
  phase: 'running',
  itemsDone: 2,
  itemsTotal: 8,
  rolloutsDone: 5,
  rolloutsRunning: 3,
  rolloutsFailed: 0,
  meanReward: 0.75,
  usage: { prompt_tokens: 1_000, completion_tokens: 234, total_tokens: 1_234 },
  costUsd: null,
  lastRollout: null,
};

const clearLine = '\r\u001B[2K';

test('the line says what is done, running, earned and left', () => {
  expect(describeProgress(progress, { elapsedMs: 10_000, itemsDoneBefore: 1 })).toBe(
    '2/8 items, 5 rollouts done, 3 running, mean reward 0.750, 1.2k tokens, cost unknown, 1:00 left',
  );
  expect(
    describeProgress({ ...progress, phase: 'stopping', rolloutsFailed: 2 }, { elapsedMs: 1, itemsDoneBefore: 2 }),
  ).toBe('stopping: 2/8 items, 5 rollouts done, 3 running, 2 failed, mean reward 0.750, 1.2k tokens, cost unknown');
});

test('a live display draws at most ten times a second, never wraps, and gives the cursor back', async () => {
  const host = createFakeHost({ isTerminal: true, columns: 30 });
  const display = openProgressDisplay(host, 'live');
  for (let count = 0; count < 50; count += 1) display.show(progress);
  await host.clock.advance(100);
  const drawings = host.stderr.text.split(clearLine).slice(1);
  expect(drawings).toEqual(['2/8 items, 5 rollouts done, …']);
  display.tell('a line that stays');
  expect(host.stderr.text).toContain(`${clearLine}a line that stays\n`);
  display[Symbol.dispose]();
  display[Symbol.dispose]();
  expect(host.stderr.text.startsWith('\u001B[?25l')).toBe(true);
  expect(host.stderr.text.endsWith(`${clearLine}\u001B[?25h`)).toBe(true);
  expect(host.clock.pendingCount).toBe(0);
});

test('a plain display writes one line for each rollout that ended, and nothing to move a cursor', () => {
  const host = createFakeHost();
  using display = openProgressDisplay(host, 'plain', 2);
  display.show(progress);
  display.show({ ...progress, lastRollout: rollout });
  const failure = { boundary: 'model', code: 'model.refused', retryable: false, message: 'wrong key' } as const;
  display.show({ ...progress, lastRollout: { ...rollout, reward: null, turnsUsed: 1, failure } });
  expect(host.stderr.text).toBe(
    'greeting #1: reward 0.500, 3 turns, completed [5/16]\ngreeting #1: reward -, 1 turn, model.refused: wrong key [5/16]\n',
  );
});

test('a silent display tells only what has to be told', () => {
  const host = createFakeHost();
  using display = openProgressDisplay(host, 'silent');
  display.show({ ...progress, lastRollout: rollout });
  display.tell('warning: careful');
  expect(host.stderr.text).toBe('warning: careful\n');
});
