import { createHash } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Secret } from '@talaria/core';
import type { ResolvedAddress } from '@talaria/tools/web';
import { openTestServer, type TestServer } from '../web/open-test-server.ts';
import { describeWithChromium } from './describe-with-chromium.ts';
import { type BrowserTools, openBrowserTools, refIn } from './open-browser-tools.ts';
import { type ChromiumSubject, openChromium } from './open-chromium.ts';

const loopback: ResolvedAddress = { address: '127.0.0.1', family: 4 };

/** The result of a step that changes nothing, with what was told meanwhile. */
async function pressed(tools: BrowserTools): Promise<string> {
  const { content, isError } = await tools.call('browser_press', { key: 'Shift' });
  expect(isError).toBe(false);
  return content;
}

describeWithChromium('what pages load in Chromium', () => {
  let subject: ChromiumSubject;
  /** A server of the private network, which nothing may reach. */
  let inner: TestServer;
  let innerOrigin: string;
  let page = '';
  let addresses: (name: string) => readonly ResolvedAddress[] | undefined = () => undefined;

  beforeAll(async () => {
    inner = await openTestServer((_request, response) => response.end('<title>Inner</title>secret'));
    innerOrigin = `http://inner.test:${inner.port}`;
    subject = await openChromium(
      ({ path }, response) => {
        if (path.startsWith('/to?')) response.writeHead(302, { location: decodeURIComponent(path.slice(4)) }).end();
        else if (path === '/loop') response.writeHead(302, { location: '/loop' }).end();
        else if (path === '/file.zip') {
          response.writeHead(200, { 'content-type': 'application/zip', 'content-disposition': 'attachment' }).end('PK');
        } else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
      },
      {
        addresses: (name) => addresses(name),
        policy: { secrets: [new Secret('TOKEN', 'abcdefgh12345678')] },
      },
    );
  }, 60_000);

  beforeEach(() => {
    page = '<title>Page</title><h1>Page</h1>';
    addresses = () => undefined;
  });

  afterAll(async () => {
    await subject[Symbol.asyncDispose]();
    await inner[Symbol.asyncDispose]();
  }, 60_000);

  test.each([
    ['a private name', () => `${innerOrigin}/`],
    ['this machine', () => `http://127.0.0.1:${inner.port}/`],
    ['this machine by another spelling', () => `http://0x7f.1:${inner.port}/`],
    ['this machine by name', () => `http://localhost:${inner.port}/`],
    ['this machine by IPv6', () => `http://[::1]:${inner.port}/`],
    ['metadata', () => 'http://169.254.169.254/latest/meta-data/'],
    ['credentials', () => `http://user:password@shop.test:${subject.server.port}/`],
    ['a secret', () => `${subject.origin}/?q=abcdefgh12345678`],
  ])(
    'an address of %s is refused',
    async (_what, url) => {
      await using tools = openBrowserTools({ driver: subject.driver });
      const result = await tools.callJson('browser_navigate', { url: url() });
      expect(result).toMatchObject({ success: false, error_kind: 'blocked' });
      expect(JSON.stringify(result)).not.toContain('abcdefgh12345678');
      expect(inner.requests).toEqual([]);
    },
    60_000,
  );

  test('a redirect to a private address is refused', async () => {
    await using tools = openBrowserTools({ driver: subject.driver });
    for (const target of [`${innerOrigin}/`, `http://127.0.0.1:${inner.port}/`, `https://inner.test:${inner.port}/`]) {
      const url = `${subject.origin}/to?${encodeURIComponent(target)}`;
      const result = await tools.callJson('browser_navigate', { url });
      expect(result).toMatchObject({ success: false, error_kind: 'blocked' });
    }
    const result = await tools.callJson('browser_navigate', {
      url: `${subject.origin}/to?${encodeURIComponent('file:///etc/passwd')}`,
    });
    expect(result).toMatchObject({ success: false });
    expect(JSON.stringify(result)).not.toContain('root:');
    expect(inner.requests).toEqual([]);
  }, 60_000);

  test('frames, images, scripts, fetch, web sockets, beacons and event streams reach nothing private, and it is told', async () => {
    page = `<title>Page</title><iframe src="${innerOrigin}/frame"></iframe><img src="http://127.0.0.1:${inner.port}/image">
      <script src="${innerOrigin}/script"></script><link rel="prefetch" href="${innerOrigin}/prefetch">
      <script>
        const done = [];
        done.push(fetch('${innerOrigin}/fetch', { mode: 'no-cors' }).catch(() => 0));
        done.push(fetch('http://localhost:${inner.port}/fetch2', { mode: 'no-cors' }).catch(() => 0));
        done.push(new Promise((resolve) => { const socket = new WebSocket('ws://127.0.0.1:${inner.port}/socket'); socket.onopen = () => { console.log('open'); resolve(); }; socket.onerror = resolve; }));
        done.push(new Promise((resolve) => { const events = new EventSource('${innerOrigin}/events'); events.onerror = () => { events.close(); resolve(); }; }));
        navigator.sendBeacon('${innerOrigin}/beacon');
        const worker = new Worker(URL.createObjectURL(new Blob(["fetch('${innerOrigin}/worker', { mode: 'no-cors' }).then(() => postMessage('in'), () => postMessage('out'))"])));
        done.push(new Promise((resolve) => { worker.onmessage = (event) => { console.log('worker ' + event.data); resolve(); }; }));
        Promise.all(done).then(() => { alert('All tried'); });
      </script>`;
    await using tools = openBrowserTools({ driver: subject.driver });
    const result = await tools.callJson('browser_navigate', { url: `${subject.origin}/` });
    expect(String(result['notes'])).toMatch(/Not loaded: .*private or reserved network/);
    let told = JSON.stringify(result);
    while (!told.includes('All tried')) told = await pressed(tools);
    expect(inner.requests).toEqual([]);
  }, 120_000);

  test('a name that changes its address is checked for each connection', async () => {
    let count = 0;
    await using own = await openChromium(
      (_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Once</title>'),
      {
        policy: { allowPrivateHosts: ['rebind.test'] },
        addresses: () => {
          count += 1;
          return count === 1 ? [loopback] : [loopback, { address: '169.254.169.254', family: 4 }];
        },
      },
    );
    await using tools = openBrowserTools({ driver: own.driver });
    const url = `http://rebind.test:${own.server.port}/`;
    expect(await tools.callJson('browser_navigate', { url })).toMatchObject({ success: true, title: 'Once' });
    const heard = own.server.requests.length;
    expect(await tools.callJson('browser_navigate', { url })).toMatchObject({ success: false, error_kind: 'blocked' });
    expect(own.server.requests.length).toBe(heard);
  }, 60_000);

  test('web sockets to allowed hosts work', async () => {
    const sockets = new Set<Socket>();
    const echo = createServer();
    echo.on('upgrade', (request, socket: Socket) => {
      sockets.add(socket);
      const accept = createHash('sha1')
        .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
        .digest('base64');
      socket.write(
        `HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
      );
      socket.write(Buffer.from([0x81, 2, 0x68, 0x69]));
      socket.on('error', () => undefined);
    });
    echo.listen(0, '127.0.0.1');
    await once(echo, 'listening');
    const { port } = echo.address() as AddressInfo;
    await using own = await openChromium(
      (_request, response) =>
        response.writeHead(200, { 'content-type': 'text/html' }).end(`<title>x</title><p id=out>waiting</p><script>
            new WebSocket('ws://echo.test:${port}/').onmessage = (event) => { document.title = event.data; alert(event.data); };
          </script>`),
      { policy: { allowPrivateHosts: ['shop.test', 'echo.test'] } },
    );
    await using tools = openBrowserTools({ driver: own.driver });
    const result = await tools.callJson('browser_navigate', { url: `${own.origin}/` });
    let told = JSON.stringify(result);
    while (!told.includes('alert')) told = await pressed(tools);
    expect(told).toContain('hi');
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => echo.close(resolve));
  }, 120_000);

  test('no datagram leaves the browser', async () => {
    const heard: unknown[] = [];
    const stun = createSocket('udp4', (message) => heard.push(message));
    await new Promise<void>((resolve) => stun.bind(0, '127.0.0.1', resolve));
    page = `<title>Page</title><iframe srcdoc="<p>x"></iframe><script>
      for (const realm of [window, frames[0]]) {
        try { const peer = new realm.RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${stun.address().port}' }] });
          peer.createDataChannel('x'); peer.createOffer().then((offer) => peer.setLocalDescription(offer)); console.log('peer'); }
        catch (error) { console.log('none ' + error.name); }
      }</script>`;
    await using tools = openBrowserTools({ driver: subject.driver });
    await tools.callJson('browser_navigate', { url: `${subject.origin}/` });
    const { console_messages: messages } = await tools.callJson('browser_console', {});
    expect(JSON.stringify(messages)).not.toContain('peer');
    expect(JSON.stringify(messages)).toContain('none TypeError');
    expect(heard).toEqual([]);
    await new Promise<void>((resolve) => stun.close(resolve));
  }, 60_000);

  test('an endless redirect, a download and a missing name are told as what they are', async () => {
    addresses = (name) => {
      if (name === 'missing.test') throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
      return undefined;
    };
    await using tools = openBrowserTools({ driver: subject.driver });
    const navigate = (url: string) => tools.callJson('browser_navigate', { url });
    expect(await navigate(`${subject.origin}/loop`)).toMatchObject({
      success: false,
      error_kind: 'network',
      error: 'The address redirects without end.',
    });
    const download = await navigate(`${subject.origin}/file.zip`);
    expect(download).toMatchObject({ success: false, error_kind: 'not_available' });
    expect(String(download['error'])).toMatch(/download/);
    for (const scheme of ['http', 'https']) {
      const missing = await navigate(`${scheme}://missing.test/`);
      expect(missing).toMatchObject({ success: false, error_kind: 'network' });
      expect(String(missing['error'])).toMatch(/missing\.test.*ENOTFOUND/);
    }
    expect(await navigate(`${subject.origin}/`)).toMatchObject({ success: true, title: 'Page' });
  }, 60_000);

  test('links to addresses that are no pages lead nowhere', async () => {
    page = `<title>Page</title><a href="file:///etc/passwd">File</a><a href="data:text/html,<title>Data</title>">Data</a>
      <a href="chrome://version">Chrome</a><a href="view-source:${subject.origin}/">Source</a><a href="${innerOrigin}/">Inner</a>`;
    await using tools = openBrowserTools({ driver: subject.driver });
    for (const name of ['File', 'Data', 'Chrome', 'Source', 'Inner']) {
      await tools.callJson('browser_navigate', { url: `${subject.origin}/` });
      const { snapshot } = await tools.callJson('browser_snapshot', {});
      const result = await tools.callJson('browser_click', { ref: refIn(snapshot, new RegExp(`"${name}"`)) });
      const after = await tools.callJson('browser_snapshot', {});
      expect(JSON.stringify([result, after])).not.toMatch(/root:|"title":"Data"|secret/);
    }
    expect(inner.requests).toEqual([]);
  }, 120_000);
});
