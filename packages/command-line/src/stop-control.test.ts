import { expect, test } from '@jest/globals';
import { createFakeHost } from '../test/fake-host.ts';
import { openStopControl, RunInterrupted } from './stop-control.ts';

test('the first signal drains, the second cuts, the third ends at once and names what is left', () => {
  const host = createFakeHost();
  const lines: string[] = [];
  using control = openStopControl(host, {
    listLeftovers: () => ['local sandbox t1'],
    tell: (line) => lines.push(line),
  });
  host.send('SIGINT');
  expect([control.drainSignal.aborted, control.cutSignal.aborted]).toEqual([true, false]);
  expect(control.drainSignal.reason).toBeInstanceOf(RunInterrupted);
  expect(lines).toEqual([expect.stringMatching(/^SIGINT: starting nothing new/)]);
  host.send('SIGTERM');
  expect(control.cutSignal.aborted).toBe(true);
  expect(lines[1]).toMatch(/^SIGTERM: cutting off/);
  expect(host.forcedExits).toEqual([]);
  host.send('SIGHUP');
  expect(host.forcedExits).toEqual([130]);
  expect(lines[2]).toMatch(/Left behind.*\n {2}local sandbox t1$/);
});

test('gives the signals back when disposed of', () => {
  const host = createFakeHost();
  const control = openStopControl(host, { listLeftovers: () => [], tell: () => undefined });
  expect(host.handlerCount).toBe(2);
  control[Symbol.dispose]();
  expect(host.handlerCount).toBe(0);
});

test('an error that nothing caught cuts off at once, and is thrown at the end', () => {
  const host = createFakeHost();
  const lines: string[] = [];
  using control = openStopControl(host, { listLeftovers: () => [], tell: (line) => lines.push(line) });
  control.throwIfUncaught();
  const error = new Error('nobody waits for me');
  host.fail(error);
  host.fail(new Error('nor for me'));
  expect([control.drainSignal.reason, control.cutSignal.reason]).toEqual([error, error]);
  expect(() => control.throwIfUncaught()).toThrow(error);
  expect(lines[0]).toContain('nobody waits for me');
});
