import { describe, expect, test } from '@jest/globals';
import { type BrowserDriver, createFixtureDriver } from '@talaria/tools/browser';
import { createPlaywrightDriver } from '@talaria/tools/browser/playwright';
import { createFakePlaywright, type FakeCall, type FakePlaywright } from './fake-playwright.ts';

const never = new AbortController().signal;

function openDriver({ playwright }: FakePlaywright): BrowserDriver {
  return createPlaywrightDriver({ playwright, executablePath: '/bin/true', chromiumSandbox: 'off', maxSessions: 1 });
}

describe('the places of a driver of Chromium', () => {
  test.each<FakeCall>(['newContext', 'route', 'newPage'])(
    'an abort during %s rejects at once; what comes late is closed, and only then its place is free',
    async (call) => {
      const fake = createFakePlaywright();
      await using driver = openDriver(fake);
      const held = fake.hold(call);
      const controller = new AbortController();
      const opening = driver.open({ signal: controller.signal });
      await held.reached;
      controller.abort('rollout ended');
      await expect(opening).rejects.toBe('rollout ended');
      let hasNext = false;
      const next = driver.open({ signal: never }).then((session) => {
        hasNext = true;
        return session;
      });
      await new Promise((resolve) => setImmediate(resolve));
      expect(hasNext).toBe(false);
      held.release();
      await using _session = await next;
      expect(fake).toMatchObject({ opened: 2, closed: 1 });
    },
  );

  test.each<FakeCall>(['newContext', 'route', 'newPage'])(
    'where %s fails, nothing stays open and the place is free again',
    async (call) => {
      const fake = createFakePlaywright();
      await using driver = openDriver(fake);
      fake.fail(call);
      for (let time = 0; time < 2; time += 1) {
        await expect(driver.open({ signal: never })).rejects.toMatchObject({ code: 'task.browser-failed' });
      }
      expect(fake.closed).toBe(fake.opened);
    },
  );

  test('a browser whose requests cannot be held is closed, and the next is tried', async () => {
    const fake = createFakePlaywright();
    await using driver = openDriver(fake);
    fake.fail('newBrowserCDPSession');
    for (let time = 1; time <= 2; time += 1) {
      await expect(driver.open({ signal: never })).rejects.toMatchObject({
        code: 'task.browser-failed',
        message: expect.stringContaining('ended while it started'),
      });
      expect(fake.browsersClosed).toBe(time);
    }
  });

  test('a driver that is disposed of closes what is being opened', async () => {
    const fake = createFakePlaywright();
    const driver = openDriver(fake);
    const held = fake.hold('newPage');
    const opening = driver.open({ signal: never });
    const refused = expect(opening).rejects.toThrow(/was shut down/);
    await held.reached;
    await driver[Symbol.asyncDispose]();
    held.release();
    await refused;
    expect(fake).toMatchObject({ opened: 1, closed: 1 });
  });
});

describe('the places of any driver', () => {
  test('an abort while waiting for one, and an abort before, take none', async () => {
    await using driver = createFixtureDriver({ pages: {}, maxSessions: 1 });
    const first = await driver.open({ signal: never });
    const controller = new AbortController();
    const waiting = driver.open({ signal: controller.signal });
    controller.abort('no more');
    await expect(waiting).rejects.toBe('no more');
    await first[Symbol.asyncDispose]();
    await first[Symbol.asyncDispose]();
    // A place that is given and refused at the same moment goes back.
    const late = new AbortController();
    const given = driver.open({ signal: late.signal });
    late.abort('too late');
    await expect(given).rejects.toBe('too late');
    await using _second = await driver.open({ signal: never });
  });

  test('disposal closes all, and nothing is opened any more', async () => {
    const driver = createFixtureDriver({ pages: {}, maxSessions: 1 });
    const session = await driver.open({ signal: never });
    const waiting = expect(driver.open({ signal: never })).rejects.toThrow(/was shut down/);
    await driver[Symbol.asyncDispose]();
    await waiting;
    await expect(session.snapshot({ signal: never })).rejects.toThrow(/was closed/);
    await expect(driver.open({ signal: never })).rejects.toThrow(/was shut down/);
  });
});
