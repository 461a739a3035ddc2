import type { Sandbox } from '@daytona/sdk';
import { expect, test } from '@jest/globals';
import { createManualClock } from '@talaria/core/testing';
import { createSandboxRequests } from './sandbox-requests.ts';

test('whether a sandbox runs is asked for 20 seconds at most', async () => {
  const clock = createManualClock();
  const sandbox: Pick<Sandbox, 'refreshData'> = { refreshData: () => new Promise(() => undefined) };
  const requests = createSandboxRequests({ sandbox: sandbox as Sandbox, apiUrl: 'http://localhost', clock });
  let answer: boolean | undefined;
  const asking = requests.isAlive().then((isAlive) => {
    answer = isAlive;
  });
  await clock.advance(19_999);
  expect(answer).toBeUndefined();
  await clock.advance(1);
  await asking;
  expect([answer, clock.pendingCount]).toEqual([false, 0]);
});
