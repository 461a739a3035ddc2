import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from '@jest/globals';
import { Secret } from '@talaria/core';
import { openTestServer } from '../web/open-test-server.ts';
import { chromiumProgram, describeWithChromium } from './describe-with-chromium.ts';
import { openBrowserTools } from './open-browser-tools.ts';
import { openChromium } from './open-chromium.ts';
import { hasOpenssl, openSecureServer } from './open-secure-server.ts';

/** A browser that somebody else started. Disposing of it ends it. */
interface ForeignBrowser extends AsyncDisposable {
  /** `http://127.0.0.1:port`. */
  readonly url: string;
  /** Ids of the pages that it has now. */
  pages(): Promise<readonly string[]>;
}

async function startBrowser(more: readonly string[] = []): Promise<ForeignBrowser> {
  const home = await mkdtemp(join(tmpdir(), 'talaria-foreign-browser-'));
  const args = [
    '--headless=new',
    '--no-sandbox',
    '--remote-debugging-port=0',
    `--user-data-dir=${join(home, 'profile')}`,
  ];
  const child = spawn(chromiumProgram, [...args, ...more, 'about:blank'], {
    env: { PATH: '/usr/bin:/bin', HOME: home, TMPDIR: home },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let url = '';
  for await (const line of createInterface({ input: child.stderr })) {
    const port = /DevTools listening on ws:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1];
    if (port === undefined) continue;
    url = `http://127.0.0.1:${port}`;
    break;
  }
  child.stderr.resume();
  return {
    url,
    async pages() {
      const answer = await fetch(`${url}/json/list`);
      const targets = (await answer.json()) as { type: string; id: string }[];
      return targets.filter(({ type }) => type === 'page').map(({ id }) => id);
    },
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

describeWithChromium('a Chromium that runs already', () => {
  test('lends a context of its own, which the policy holds for; it is closed in the end, and the browser stays', async () => {
    await using foreign = await startBrowser();
    await using inner = await openTestServer((_request, response) => response.end('<title>Inner</title>secret'));
    const page = `<title>Page</title><h1>Page</h1><img src="http://127.0.0.1:${inner.port}/image">
      <iframe src="http://inner.test:${inner.port}/frame"></iframe>`;
    await using subject = await openChromium(
      ({ path }, response) => {
        if (path === '/to') response.writeHead(302, { location: `http://inner.test:${inner.port}/` }).end();
        else response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'a=1' }).end(page);
      },
      { cdpUrl: foreign.url },
    );
    const before = await foreign.pages();
    const tools = openBrowserTools({ driver: subject.driver });
    await using other = openBrowserTools({ driver: subject.driver });
    const shown = await tools.callJson('browser_navigate', { url: `${subject.origin}/` });
    expect(shown).toMatchObject({ success: true, title: 'Page' });
    expect(String(shown['notes'])).toMatch(/private or reserved network/);
    for (const url of [`http://inner.test:${inner.port}/`, `${subject.origin}/to`]) {
      expect(await tools.callJson('browser_navigate', { url })).toMatchObject({
        success: false,
        error_kind: 'blocked',
      });
    }
    expect(inner.requests).toEqual([]);
    await other.callJson('browser_navigate', { url: `${subject.origin}/other` });
    const first = subject.server.requests.find(({ path }) => path === '/other');
    expect(first?.headers).not.toHaveProperty('cookie');
    await tools[Symbol.asyncDispose]();
    await subject.driver[Symbol.asyncDispose]();
    expect(before.length).toBeGreaterThan(0);
    expect(await foreign.pages()).toEqual(before);
  }, 90_000);

  (hasOpenssl ? test : test.skip)(
    'has pages closed that are redirected to an address with a secret, which is told',
    async () => {
      await using server = await openSecureServer((request, response) => {
        if (request.url === '/go') response.writeHead(302, { location: '/take?q=abcdefgh12345678' }).end();
        else response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Page</title>');
      });
      await using foreign = await startBrowser([server.trust]);
      await using subject = await openChromium((_request, response) => response.end(), {
        cdpUrl: foreign.url,
        policy: { allowPrivateHosts: ['safe.test'], secrets: [new Secret('TOKEN', 'abcdefgh12345678')] },
      });
      await using tools = openBrowserTools({ driver: subject.driver });
      const origin = `https://safe.test:${server.port}`;
      const refused = await tools.callJson('browser_navigate', { url: `${origin}/go` });
      expect(JSON.stringify(refused)).toMatch(/was closed: The address holds the secret TOKEN/);
      const { snapshot } = await tools.callJson('browser_snapshot', {});
      expect(String(snapshot)).not.toMatch(/Page/);
      expect(await tools.callJson('browser_navigate', { url: `${origin}/` })).toMatchObject({ title: 'Page' });
    },
    90_000,
  );

  test('that is not there is told', async () => {
    await using subject = await openChromium((_request, response) => response.end(), { cdpUrl: 'http://127.0.0.1:1' });
    await using tools = openBrowserTools({ driver: subject.driver });
    const refused = await tools.callJson('browser_navigate', { url: `${subject.origin}/` });
    expect(refused).toMatchObject({ success: false, error_kind: 'not_available' });
    expect(String(refused['error'])).toMatch(/cannot be connected to/);
  }, 60_000);
});
