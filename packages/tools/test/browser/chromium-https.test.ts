import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Secret } from '@talaria/core';
import { describeWithChromium } from './describe-with-chromium.ts';
import { type BrowserTools, openBrowserTools, refIn } from './open-browser-tools.ts';
import { type ChromiumSubject, openChromium } from './open-chromium.ts';
import { hasOpenssl, openSecureServer, type SecureServer } from './open-secure-server.ts';

const secret = 'abcdefgh12345678';

/** What `/` shows. */
let page = '';
/** Where `/go` leads. */
let target = '';

test('certificates can be made', () => {
  const mustRun = process.env['TALARIA_REQUIRE_SERVICES'] === '1';
  if (!hasOpenssl) process.stderr.write('SKIPPED tests of encrypted pages: there is no openssl\n');
  expect(hasOpenssl || !mustRun).toBe(true);
});

describeWithChromium(
  'encrypted pages in Chromium',
  () => {
    let server: SecureServer;
    /** Has a certificate that nobody trusts. */
    let untrusted: SecureServer;
    let subject: ChromiumSubject;
    let origin: string;
    let heardBefore = 0;

    beforeAll(async () => {
      server = await openSecureServer((request, response) => {
        const [path] = (request.url ?? '').split('?', 1);
        if (path === '/go') response.writeHead(302, { location: target }).end();
        else if (path === '/private') {
          response.writeHead(401, { 'www-authenticate': 'Basic realm="x"', 'content-type': 'text/html' });
          response.end('<title>Who are you?</title>');
        } else
          response.writeHead(200, { 'content-type': 'text/html' }).end(path === '/' ? page : '<title>Other</title>');
      });
      untrusted = await openSecureServer((_request, response) => response.end('<title>Untrusted</title>'));
      origin = `https://safe.test:${server.port}`;
      subject = await openChromium(
        ({ path }, response) => {
          if (path === '/go') response.writeHead(302, { location: target }).end();
          else response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end('<title>Who?</title>');
        },
        {
          args: [server.trust],
          policy: {
            allowPrivateHosts: ['*.test'],
            blockedDomains: ['bad.test'],
            secrets: [new Secret('TOKEN', secret)],
          },
        },
      );
    }, 60_000);

    beforeEach(() => {
      heardBefore = server.heard.length;
      page = '<title>Safe</title><h1>Safe</h1>';
    });

    afterAll(async () => {
      await subject[Symbol.asyncDispose]();
      await Promise.all([server, untrusted].map((each) => each[Symbol.asyncDispose]()));
    }, 60_000);

    const open = (): BrowserTools => openBrowserTools({ driver: subject.driver });
    const heardSecrets = () => server.heard.slice(heardBefore).filter(({ path }) => path.startsWith('/take'));

    /** What was told until something of it matches. */
    async function toldUntil(tools: BrowserTools, first: object, pattern: RegExp): Promise<string> {
      let told = JSON.stringify(first);
      for (let step = 0; step < 20 && !pattern.test(told); step += 1) {
        told += (await tools.call('browser_press', { key: 'Shift' })).content;
      }
      expect(told).toMatch(pattern);
      return told;
    }

    test('are shown, with what they load, and led to by redirects', async () => {
      page = '<title>Safe</title><h1>Safe</h1><a href="/other">Other</a><script src="/script"></script>';
      await using tools = open();
      target = `${origin}/`;
      const shown = await tools.callJson('browser_navigate', { url: `${origin}/go` });
      expect(shown).toEqual({ success: true, url: `${origin}/`, title: 'Safe' });
      const { snapshot } = await tools.callJson('browser_snapshot', {});
      const clicked = await tools.callJson('browser_click', { ref: refIn(snapshot, /Other/) });
      expect(clicked).toMatchObject({ success: true, url: `${origin}/other`, title: 'Other' });
      expect(server.heard.map(({ path }) => path)).toContain('/script');
    }, 60_000);

    test('with a certificate that nobody trusts are not shown', async () => {
      await using tools = open();
      const refused = await tools.callJson('browser_navigate', { url: `https://safe.test:${untrusted.port}/` });
      expect(refused).toMatchObject({ success: false, error_kind: 'network' });
      expect(String(refused['error'])).toMatch(/ERR_CERT/);
      expect(untrusted.heard).toEqual([]);
    }, 60_000);

    test('of hosts that are refused are refused by the proxy, which sees no more', async () => {
      page = `<title>Safe</title><img src="https://bad.test:${server.port}/image">`;
      await using tools = open();
      target = `https://bad.test:${server.port}/`;
      for (const url of [target, `${origin}/go`]) {
        expect(await tools.callJson('browser_navigate', { url })).toMatchObject({ error_kind: 'blocked' });
      }
      const shown = await tools.callJson('browser_navigate', { url: `${origin}/` });
      expect(shown).toMatchObject({ success: true, title: 'Safe' });
      await toldUntil(tools, shown, /Not loaded: bad\.test.*list of blocked domains/);
    }, 60_000);

    test('that ask for a password get none, encrypted or not', async () => {
      await using tools = open();
      for (const url of [`${origin}/private`, `${subject.origin}/private`]) {
        expect(await tools.callJson('browser_navigate', { url })).toMatchObject({
          error_kind: 'permission',
          error: 'The page asks for a user name and password, which this browser does not give.',
        });
      }
      const all = [...server.heard, ...subject.server.requests];
      expect(all.filter(({ path }) => path === '/private')).toHaveLength(2);
      for (const { headers } of all) {
        expect(headers).not.toHaveProperty('authorization');
        expect(headers).not.toHaveProperty('proxy-authorization');
      }
    }, 60_000);

    test.each([
      ['a secret in its query', () => `${origin}/take?q=${secret}`],
      ['a password', () => `https://user:password@safe.test:${server.port}/take`],
      ['a secret, in plain HTTP', () => `http://safe.test:${server.port}/take?q=${secret}`],
    ])(
      'that redirect to an address with %s are not left for it',
      async (_what, forbidden) => {
        await using tools = open();
        target = forbidden();
        for (const url of [`${origin}/go`, `${subject.origin}/go`]) {
          const refused = await tools.callJson('browser_navigate', { url });
          expect(refused).toMatchObject({ success: false, error_kind: 'blocked' });
          expect(JSON.stringify(refused)).toMatch(/holds the secret TOKEN|holds a user name or password/);
          expect(JSON.stringify(refused)).not.toMatch(new RegExp(`${secret}|user:password`));
        }
        expect(heardSecrets()).toEqual([]);
        expect(await tools.callJson('browser_navigate', { url: `${origin}/` })).toMatchObject({ title: 'Safe' });
      },
      60_000,
    );

    test.each([
      ['a page', `fetch('/go')`],
      ['a frame', `document.body.append(Object.assign(document.createElement('iframe'), { src: '/go' }))`],
      ['a new window', `open('/go')`],
      ['a worker', `new Worker(URL.createObjectURL(new Blob(['fetch("' + location.origin + '/go")'])))`],
    ])(
      'in which %s is redirected to such an address, it is told',
      async (_what, script) => {
        target = `${origin}/take?q=${secret}`;
        page = `<title>Safe</title><body><script>setTimeout(() => { ${script}; }, 200)</script>`;
        await using tools = open();
        const shown = await tools.callJson('browser_navigate', { url: `${origin}/` });
        await toldUntil(tools, shown, /Not loaded: safe\.test:\d+\. The address holds the secret TOKEN/);
        expect(heardSecrets()).toEqual([]);
      },
      60_000,
    );

    test('talk by web sockets, but not to addresses with a secret', async () => {
      page = `<title>Safe</title><iframe srcdoc="<p>x"></iframe><script>
        const talk = (realm, path) => { const socket = new realm.WebSocket('wss://safe.test:${server.port}' + path);
          socket.onmessage = (event) => alert('heard ' + event.data); socket.onclose = () => alert('closed ' + path.slice(0, 6)); };
        talk(window, '/talk'); talk(window, '/take1?q=${secret}'); setTimeout(() => talk(frames[0], '/take2?q=${secret}'), 300);
      </script>`;
      await using tools = open();
      const shown = await tools.callJson('browser_navigate', { url: `${origin}/` });
      const told = await toldUntil(tools, shown, /(?=.*heard hi)(?=.*closed \/take1)(?=.*closed \/take2)/s);
      expect(told).toMatch(/Not loaded: safe\.test:\d+\. The address holds the secret TOKEN/);
      expect(heardSecrets()).toEqual([]);
    }, 60_000);

    test('whose workers talk to such an address by web sockets are closed', async () => {
      page = `<title>Safe</title><script>
        new Worker(URL.createObjectURL(new Blob(["new WebSocket('wss://safe.test:${server.port}/take?q=${secret}')"])));
      </script>`;
      await using tools = open();
      const shown = await tools.callJson('browser_navigate', { url: `${origin}/` });
      await toldUntil(tools, shown, /was closed: The address holds the secret TOKEN/);
      page = '<title>Next</title>';
      expect(await tools.callJson('browser_navigate', { url: `${origin}/` })).toMatchObject({ title: 'Next' });
    }, 60_000);
  },
  hasOpenssl,
);
