import { Readable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { type Clock, systemClock } from '@talaria/core';
import { awaitAnswer } from './await-answer.ts';
import type { SessionOutcome } from './ssh-connection.ts';

const reason = new Error('stop');

/** A clock whose alarms go off when the test says so. */
function createAlarmClock(): { readonly clock: Clock; readonly alarms: Set<() => void> } {
  const alarms = new Set<() => void>();
  function schedule(_durationMs: number, action: () => void): () => void {
    alarms.add(action);
    return () => void alarms.delete(action);
  }
  return { clock: { ...systemClock, schedule }, alarms };
}

function createOutcome(): { readonly outcome: SessionOutcome; readonly closes: () => number } {
  let closes = 0;
  function close(): void {
    closes += 1;
  }
  const process = { stdin: null, stdout: Readable.from([]), stderr: null, exited: Promise.resolve(0), close };
  return { outcome: { kind: 'started', process }, closes: () => closes };
}

test('an answer after the abort still counts, so that what was started is known', async () => {
  const { clock, alarms } = createAlarmClock();
  const { outcome, closes } = createOutcome();
  const starting = Promise.withResolvers<SessionOutcome>();
  const controller = new AbortController();
  const answer = awaitAnswer(starting.promise, controller.signal, clock);
  expect(alarms.size).toBe(0);
  controller.abort(reason);
  expect(alarms.size).toBe(1);
  starting.resolve(outcome);
  expect(await answer).toBe(outcome);
  expect([alarms.size, closes()]).toEqual([0, 0]);
});

test.each(['before', 'while it waits'])(
  'aborted %s, it gives up in time and lets go of what comes later',
  async (when) => {
    const { clock, alarms } = createAlarmClock();
    const { outcome, closes } = createOutcome();
    const starting = Promise.withResolvers<SessionOutcome>();
    const controller = new AbortController();
    if (when === 'before') controller.abort(reason);
    const answer = awaitAnswer(starting.promise, controller.signal, clock);
    controller.abort(reason);
    for (const alarm of alarms) alarm();
    await expect(answer).rejects.toBe(reason);
    starting.resolve(outcome);
    await starting.promise;
    expect(closes()).toBe(1);
  },
);

test('a start that fails is told, aborted or not', async () => {
  const { clock, alarms } = createAlarmClock();
  const failure = new Error('refused');
  await expect(awaitAnswer(Promise.reject(failure), undefined, clock)).rejects.toBe(failure);
  await expect(awaitAnswer(Promise.reject(failure), AbortSignal.abort(reason), clock)).rejects.toBe(failure);
  expect(alarms.size).toBe(0);
});
