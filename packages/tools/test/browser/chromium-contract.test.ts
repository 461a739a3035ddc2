import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { browserContract } from './contract-cases.ts';
import { contractPages } from './contract-pages.ts';
import { describeWithChromium } from './describe-with-chromium.ts';
import { type ChromiumSubject, openChromium } from './open-chromium.ts';

describeWithChromium('the contract of browser drivers, with Chromium', () => {
  let subject: ChromiumSubject;

  beforeAll(async () => {
    subject = await openChromium(({ method, path, body }, response) => {
      const key = method === 'POST' ? `POST ${path}?${body}` : path;
      const html = contractPages[key];
      response.writeHead(html === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' });
      response.end(html ?? `No page ${key}`);
    });
  }, 60_000);

  afterAll(async () => {
    await subject[Symbol.asyncDispose]();
  }, 60_000);

  test.each(browserContract.map((entry) => [entry.name, entry] as const))(
    '%s',
    async (_name, entry) => {
      await entry.run(subject);
    },
    60_000,
  );

  test('one browser served them all', async () => {
    expect((await subject.processes()).length).toBeGreaterThan(0);
    expect(new Set(subject.resolved)).toEqual(new Set(['shop.test']));
  });
});
