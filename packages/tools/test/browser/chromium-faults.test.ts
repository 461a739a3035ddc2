import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { JsonObject } from '@talaria/core';
import { createManualClock } from '@talaria/core/testing';
import type { HeardRequest } from '../web/open-test-server.ts';
import { describeWithChromium } from './describe-with-chromium.ts';
import { openBrowserTools, refIn } from './open-browser-tools.ts';
import { type ChromiumSubject, openChromium } from './open-chromium.ts';

const pageOf = (body: string): string => `<!doctype html><title>Page</title>${body}`;

/** A script that tells the server that it begins, and never ends. */
function spinning(path: string): string {
  return `const call = new XMLHttpRequest(); call.open('GET', '${path}' + location.search, false); call.send(); for(;;);`;
}

/** What each path shows. `/hang` never answers; `/half` never ends. */
const pages: Readonly<Record<string, string>> = {
  '/': pageOf('<h1>Start</h1><a href="/next">Next</a>'),
  '/next': pageOf('<h1>Next</h1>'),
  '/busy': pageOf(`<h1>Busy</h1><button onclick="${spinning('/clicked')}">Spin</button>`),
  '/spin': pageOf(`<h1>Spin</h1><script>${spinning('/spinning')}</script>`),
  '/alerts': pageOf('<h1>Alerts</h1><script>for(;;) alert("again");</script>'),
  '/ask': pageOf(
    `<button onclick="document.title = 'answer ' + confirm('Sure?') + prompt('Name?')">Ask</button><script>addEventListener('beforeunload', (event) => event.preventDefault())</script>`,
  ),
  '/popups': pageOf(
    '<h1>Opener</h1><a href="/next" target="_blank">New window</a><button onclick="for (let i = 0; i < 10; i += 1) window.open(\'/next?\' + i)">Many</button>',
  ),
  '/covered': pageOf(
    '<button>Below</button><div style="position:fixed;inset:0;background:#fff"></div><button disabled>Off</button>',
  ),
  '/console': pageOf(
    `<script>console.log('one', { a: 1 }); console.warn('two'); setTimeout(() => { throw new Error('three'); });</script>`,
  ),
  '/wander': pageOf('<script>setTimeout(() => { location = "/wander?" + Math.random(); }, 30)</script>'),
  '/script-window': pageOf('<h1>Moving</h1><div style="height:5000px"></div><p>End</p>'),
  '/download': pageOf('<a href="/file.zip" download>Get</a><input type="file" aria-label="Choose">'),
};

/** Of 50 MB. */
const largePage = (): string => pageOf('some words of a very large page '.repeat(1_600_000));

describeWithChromium('faults of pages and of Chromium', () => {
  let subject: ChromiumSubject;
  /** One with narrow limits. */
  let narrow: ChromiumSubject;

  beforeAll(async () => {
    subject = await openChromium(({ path }: HeardRequest, response) => {
      const html = pages[path.replace(/\?.*/, '')];
      if (path.startsWith('/hang')) return;
      if (path.startsWith('/half'))
        response
          .writeHead(200, { 'content-type': 'text/html' })
          .write(`<title>Half</title><p>one<script src="/part${path.slice(5)}"></script>`);
      else if (path === '/file.zip') response.writeHead(200, { 'content-type': 'application/zip' }).end('PK');
      else response.writeHead(html === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(html ?? 'none');
    });
    narrow = await openChromium(
      ({ path }, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(pages[path] ?? largePage()),
      { maxSessions: 1, maxStepBytes: 500_000, popups: 'close', actionTimeoutMs: 1_500 },
    );
  }, 60_000);

  afterAll(async () => {
    await subject[Symbol.asyncDispose]();
    await narrow[Symbol.asyncDispose]();
  }, 60_000);

  const open = () => openBrowserTools({ driver: subject.driver });
  /** Tools whose steps last until a test says that their time is over. */
  function openTimeless() {
    const clock = createManualClock();
    const tools = openBrowserTools({ driver: subject.driver }, { clock });
    return {
      ...tools,
      /** A call whose time is over soon after the server has heard of a path. */
      async callUntil(name: string, args: JsonObject, path: string): Promise<JsonObject> {
        const call = tools.callJson(name, args);
        await subject.server.heard(path);
        // The browser learns of what its page does a moment after the server.
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        await clock.advance(100_000);
        return await call;
      },
    };
  }
  const at = (path: string) => ({ url: `${subject.origin}${path}` });

  /** Kills the browser, not its helpers, which end by themselves. */
  async function killBrowser(): Promise<void> {
    for (const id of await subject.processes()) {
      const command = await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '');
      if (command.includes('--remote-debugging-pipe') && !command.includes('--type=')) process.kill(id, 'SIGKILL');
    }
  }

  /** Kills what shows the pages. These processes write over their environment, and are known by what started them. */
  async function killRenderers(): Promise<void> {
    const family = new Set(await subject.processes());
    const entries = (await readdir('/proc')).map(Number).filter((id) => id > 0);
    const read = (id: number, name: string) => readFile(`/proc/${id}/${name}`, 'utf8').catch(() => '');
    let killed = 0;
    for (const id of entries) {
      const parent = Number(/\) \S (\d+)/.exec(await read(id, 'stat'))?.[1]);
      if (!family.has(parent)) continue;
      family.add(id);
      if (!(await read(id, 'cmdline')).includes('--type=renderer')) continue;
      process.kill(id, 'SIGKILL');
      killed += 1;
    }
    expect(killed).toBeGreaterThan(0);
  }

  test('a browser that is killed in mid-call is told, and the next page opens in a new one', async () => {
    await using tools = open();
    await tools.callJson('browser_navigate', at('/'));
    const call = tools.callJson('browser_navigate', at('/hang'));
    await subject.server.heard('/hang');
    await killBrowser();
    const failed = await call;
    expect(failed).toMatchObject({ success: false, error_kind: 'not_available' });
    expect(String(failed['error'])).toMatch(/ended unexpectedly/);
    expect(await tools.callJson('browser_snapshot', {})).toMatchObject({ success: false, error_kind: 'not_found' });
    const next = await tools.callJson('browser_navigate', at('/'));
    expect(next).toEqual({ success: true, url: `${subject.origin}/`, title: 'Page' });
  }, 120_000);

  test.each([
    ['opened', 'browser_navigate', '/part?crash'],
    ['used', 'browser_click', '/clicked'],
  ])(
    'a page that crashes while it is %s is told, and the next one opens in the same browser',
    async (_what, name, path) => {
      await using tools = open();
      await tools.callJson('browser_navigate', at('/busy'));
      const ref = refIn((await tools.callJson('browser_snapshot', {}))['snapshot'], /Spin/);
      const call = tools.callJson(name, name === 'browser_click' ? { ref } : at('/half?crash'));
      await subject.server.heard(path);
      await killRenderers();
      expect(await call).toMatchObject({
        success: false,
        error_kind: 'not_available',
        error: 'The page crashed and was closed. Open one with browser_navigate.',
      });
      const next = await tools.callJson('browser_navigate', at('/'));
      expect(next).toEqual({ success: true, url: `${subject.origin}/`, title: 'Page' });
    },
    60_000,
  );

  test('a server that never answers ends with the time of the step, and the browser stays usable', async () => {
    await using tools = openTimeless();
    await tools.callJson('browser_navigate', at('/'));
    expect(await tools.callUntil('browser_navigate', at('/hang?2'), '/hang?2')).toMatchObject({
      success: false,
      error_kind: 'timeout',
    });
    const still = await tools.callJson('browser_snapshot', {});
    expect(String(still['snapshot'])).toMatch(/Start/);
    const half = await tools.callUntil('browser_navigate', at('/half'), '/part');
    expect(half).toMatchObject({ success: false, error_kind: 'timeout' });
    expect(String((await tools.callJson('browser_snapshot', {}))['snapshot'])).toMatch(/one/);
  }, 120_000);

  test('a page that hangs is closed, and another one can be opened', async () => {
    await using tools = openTimeless();
    await tools.callJson('browser_navigate', at('/'));
    const opened = await tools.callUntil('browser_navigate', at('/spin'), '/spinning');
    expect(opened).toMatchObject({ success: false, error_kind: 'timeout' });
    const snapshot = await tools.callJson('browser_snapshot', {});
    expect(String(snapshot['error'])).toMatch(/did not answer.*closed/);
    await tools.callJson('browser_navigate', at('/busy?2'));
    const ref = refIn((await tools.callJson('browser_snapshot', {}))['snapshot'], /Spin/);
    const clicked = await tools.callUntil('browser_click', { ref }, '/clicked?2');
    expect(clicked).toMatchObject({ success: false, error_kind: 'timeout' });
    expect(await tools.callJson('browser_navigate', at('/'))).toMatchObject({
      success: true,
      url: `${subject.origin}/`,
    });
  }, 120_000);

  test('a page of 50 MB is cut off, and the browser stays usable', async () => {
    await using tools = openBrowserTools({ driver: narrow.driver });
    const result = await tools.callJson('browser_navigate', { url: `${narrow.origin}/large` });
    expect(result).toMatchObject({ success: true, title: 'Page' });
    expect(String(result['notes'])).toMatch(
      /(?=.*broke off; it is shown as far as it came)(?=.*more than 500000 bytes)/,
    );
    const snapshot = await tools.callJson('browser_snapshot', {});
    expect(String(snapshot['snapshot']).length).toBeLessThanOrEqual(8_000);
    expect(await tools.callJson('browser_navigate', { url: `${narrow.origin}/next` })).toMatchObject({ success: true });
  }, 120_000);

  test('dialogs are dismissed and told; those without end close the page', async () => {
    await using tools = open();
    await tools.callJson('browser_navigate', at('/ask'));
    const ref = refIn((await tools.callJson('browser_snapshot', {}))['snapshot'], /Ask/);
    const asked = await tools.callJson('browser_click', { ref });
    expect(asked).toMatchObject({ success: true, title: 'answer falsenull' });
    expect(String(asked['notes'])).toMatch(/confirm "Sure\?".*prompt "Name\?"/);
    const left = await tools.callJson('browser_navigate', at('/'));
    expect(left).toMatchObject({ success: true, url: `${subject.origin}/` });
    const alerts = await tools.callJson('browser_navigate', at('/alerts'));
    expect(alerts['success']).toBe(false);
    expect(JSON.stringify(alerts)).toMatch(/dialogs without end/);
    expect(await tools.callJson('browser_navigate', at('/'))).toMatchObject({ success: true });
  }, 120_000);

  test('a new window is followed, and back closes it; too many are closed', async () => {
    await using tools = open();
    await tools.callJson('browser_navigate', at('/popups'));
    const { snapshot } = await tools.callJson('browser_snapshot', {});
    const opened = await tools.callJson('browser_click', { ref: refIn(snapshot, /New window/) });
    expect(opened).toMatchObject({ success: true, url: `${subject.origin}/next` });
    expect(String(opened['notes'])).toMatch(/new window, which is shown now/);
    expect(await tools.callJson('browser_back', {})).toMatchObject({ url: `${subject.origin}/popups` });
    let told = JSON.stringify(await tools.callJson('browser_click', { ref: refIn(snapshot, /Many/) }));
    for (let step = 0; step < 5 && !told.includes('which was closed'); step += 1) {
      told += JSON.stringify(await tools.callJson('browser_press', { key: 'Shift' }));
    }
    expect(told).toMatch(/which was closed/);
    expect(await tools.callJson('browser_navigate', at('/'))).toMatchObject({ success: true });
  }, 120_000);

  test('where new windows are not followed, they are closed', async () => {
    await using tools = openBrowserTools({ driver: narrow.driver });
    await tools.callJson('browser_navigate', { url: `${narrow.origin}/popups` });
    const { snapshot } = await tools.callJson('browser_snapshot', {});
    const opened = await tools.callJson('browser_click', { ref: refIn(snapshot, /New window/) });
    expect(String(opened['notes'])).toMatch(/which was closed/);
    expect(String((await tools.callJson('browser_snapshot', {}))['snapshot'])).toMatch(/Opener/);
  }, 120_000);

  test('what cannot be clicked is told with the reason', async () => {
    await using tools = openBrowserTools({ driver: narrow.driver });
    await tools.callJson('browser_navigate', { url: `${narrow.origin}/covered` });
    const { snapshot } = await tools.callJson('browser_snapshot', {});
    const covered = await tools.callJson('browser_click', { ref: refIn(snapshot, /Below/) });
    expect(String(covered['error'])).toMatch(/<div> covers it|another element \(<div>\) covers it/);
    const off = await tools.callJson('browser_click', { ref: refIn(snapshot, /Off/) });
    expect(String(off['error'])).toMatch(/it is disabled/);
  }, 120_000);

  test('the console is kept until it is cleared', async () => {
    await using tools = open();
    await tools.callJson('browser_navigate', at('/console'));
    const shown = await tools.callJson('browser_console', { clear: true });
    expect(shown).toMatchObject({
      success: true,
      console_messages: [
        { type: 'log', text: expect.stringMatching(/^one/) },
        { type: 'warning', text: 'two', source: expect.stringContaining('/console:1') },
      ],
      js_errors: [{ message: 'three', source: expect.stringContaining('/console:1') }],
      total_messages: 2,
      total_errors: 1,
    });
    expect(await tools.callJson('browser_console', {})).toMatchObject({ console_messages: [], total_errors: 0 });
  }, 60_000);

  test('pages that go elsewhere all the time, downloads and file choosers do no harm', async () => {
    await using tools = openBrowserTools({ driver: subject.driver, stepTimeoutMs: 5_000 });
    await tools.callJson('browser_navigate', at('/wander'));
    await tools.callJson('browser_snapshot', {});
    const landed = await tools.callJson('browser_navigate', at('/download'));
    expect(landed).toMatchObject({ success: true, url: `${subject.origin}/download` });
    const { snapshot } = await tools.callJson('browser_snapshot', {});
    const got = await tools.callJson('browser_click', { ref: refIn(snapshot, /Get/) });
    expect(String(got['notes'])).toMatch(/download file\.zip, which was not taken/);
    const chosen = await tools.callJson('browser_click', { ref: refIn(snapshot, /Choose/) });
    expect(String(chosen['notes'])).toMatch(/none can be chosen/);
  }, 120_000);

  test('a page is scrolled until its end', async () => {
    await using tools = open();
    await tools.callJson('browser_navigate', at('/script-window'));
    expect(await tools.callJson('browser_scroll', { direction: 'up' })).toMatchObject({ note: /beginning/ });
    let steps = 0;
    while ((await tools.callJson('browser_scroll', { direction: 'down' }))['note'] === undefined) steps += 1;
    expect(steps).toBeGreaterThan(3);
    expect(await tools.callJson('browser_scroll', { direction: 'up' })).toEqual({ success: true, scrolled: 'up' });
  }, 120_000);

  test('an abort at any step rejects with its reason, and the session can be used on', async () => {
    await using tools = open();
    await tools.callJson('browser_navigate', at('/busy'));
    const { snapshot } = await tools.callJson('browser_snapshot', {});
    const calls = [
      ['browser_navigate', at('/hang')],
      ['browser_snapshot', {}],
      ['browser_click', { ref: refIn(snapshot, /Spin/) }],
      ['browser_scroll', { direction: 'down' }],
      ['browser_press', { key: 'Tab' }],
      ['browser_back', {}],
      ['browser_get_images', {}],
    ] as const;
    for (const [name, args] of calls) {
      const reason = new Error(`stop ${name}`);
      const controller = new AbortController();
      const call = tools.call(name, args, controller.signal);
      // After one round through the loop the step is under way.
      setImmediate(() => controller.abort(reason));
      await call.then(
        () => undefined,
        (error: unknown) => expect(error).toBe(reason),
      );
      expect(controller.signal.aborted).toBe(true);
    }
    expect(await tools.callJson('browser_navigate', at('/next'))).toMatchObject({ success: true });
  }, 120_000);

  test('a rollout that ends during a call ends the call', async () => {
    const tools = open();
    await tools.callJson('browser_navigate', at('/'));
    const heardBefore = subject.server.requests.filter(({ path }) => path === '/hang?end').length;
    expect(heardBefore).toBe(0);
    const call = tools.callJson('browser_navigate', at('/half?end'));
    await subject.server.heard('/half?end');
    await tools.state[Symbol.asyncDispose]();
    expect(await call).toMatchObject({ success: false, error_kind: 'interrupted' });
    await tools[Symbol.asyncDispose]();
  }, 120_000);

  test('no more sessions are open than allowed; others wait, can stop waiting, and come next', async () => {
    const url = `${narrow.origin}/`;
    await using first = openBrowserTools({ driver: narrow.driver });
    await using second = openBrowserTools({ driver: narrow.driver });
    const clock = createManualClock();
    await using third = openBrowserTools({ driver: narrow.driver, openTimeoutMs: 1_000 }, { clock });
    await first.callJson('browser_navigate', { url });
    const reason = new Error('stop');
    const controller = new AbortController();
    const stopped = second.call('browser_navigate', { url }, controller.signal);
    const rejected = expect(stopped).rejects.toBe(reason);
    setImmediate(() => controller.abort(reason));
    await rejected;
    const late = third.callJson('browser_navigate', { url });
    while (clock.pendingCount < 2) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(1_000);
    expect(await late).toMatchObject({ success: false, error_kind: 'timeout' });
    const waiting = second.callJson('browser_navigate', { url });
    await first.callJson('browser_close', {});
    expect(await waiting).toMatchObject({ success: true });
  }, 120_000);
});
