import { expect, test } from '@jest/globals';
import { createManualClock } from '@talaria/core/testing';
import type { ApprovalRequest } from '../approval-policy.ts';
import { createInteractivePolicy } from './interactive-policy.ts';

function request(change: Partial<ApprovalRequest> = {}): ApprovalRequest {
  return {
    toolName: 'terminal',
    sideEffect: 'sandbox',
    args: {},
    command: 'make',
    isolation: async () => 'none',
    signal: new AbortController().signal,
    ...change,
  };
}

test.each([true, false])('the answer %p decides', async (answer) => {
  const policy = createInteractivePolicy({ ask: async () => answer });
  expect((await policy(request())).kind).toBe(answer ? 'allow' : 'deny');
});

test.each<[string, Partial<ApprovalRequest>, string]>([
  ['what changes nothing', { sideEffect: 'none' }, 'allow'],
  ['what stays in a container', { isolation: async () => 'container' }, 'allow'],
  ['what would destroy the machine', { command: 'mkfs /nowhere/disk' }, 'deny'],
])('%s is not asked about', async (_what, change, kind) => {
  const policy = createInteractivePolicy({ ask: () => Promise.reject(new TypeError('asked')) });
  expect((await policy(request(change))).kind).toBe(kind);
});

test('no answer within a minute means no, and the question is taken back', async () => {
  const clock = createManualClock();
  let isTakenBack = false;
  const policy = createInteractivePolicy({
    clock,
    ask: (_request, _rule, { signal }) => {
      signal.addEventListener('abort', () => {
        isTakenBack = true;
      });
      return new Promise(() => undefined);
    },
  });
  const decision = policy(request());
  await new Promise((resolve) => setImmediate(resolve));
  await clock.advance(60_000);
  expect(await decision).toMatchObject({ kind: 'deny', rule: expect.stringContaining('nobody answered') });
  expect(isTakenBack).toBe(true);
});

test('a question that fails means no; an abort rejects with its reason', async () => {
  const policy = createInteractivePolicy({ ask: () => Promise.reject(new TypeError('broken')) });
  expect(await policy(request())).toMatchObject({ kind: 'deny', rule: expect.stringContaining('asking failed') });
  const controller = new AbortController();
  const waiting = createInteractivePolicy({ ask: () => new Promise(() => undefined) });
  const decision = waiting(request({ signal: controller.signal }));
  controller.abort('stop');
  await expect(decision).rejects.toBe('stop');
});
