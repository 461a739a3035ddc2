import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { findChromium } from '@talaria/testing-services';
import { listParsers, listReasoningParsers } from '@talaria/tool-call-parsers';
import { type Browser, chromium, type Page } from 'playwright-core';
import { buildPage } from '../src/build-page.ts';

const program = findChromium(process.env['PATH'] ?? '');
const mustRun = process.env['TALARIA_REQUIRE_SERVICES'] === '1';

test('Chromium is there to be tested with', () => {
  if (program === undefined)
    process.stderr.write(
      'SKIPPED tests of the playground: neither Chromium nor Chrome is installed (apt-get install chromium)\n',
    );
  expect(program !== undefined || !mustRun).toBe(true);
});

test('the page is one file with one script and one style, and everything is filled in', async () => {
  const html = await buildPage();
  expect(html.match(/<\/?(?:script|style|link|iframe)\b/gi)).toEqual(['<style', '</style', '<script', '</script']);
  expect(html).not.toMatch(/\/\* (?:policy|style|script) \*\//);
  expect(html).not.toMatch(/unsafe-|innerHTML|\beval\(|new Function/);
  expect(html).toMatch(/content="default-src 'none'; script-src 'sha256-[^ ]+'; style-src 'sha256-[^ ]+'; base-uri/);
});

(program === undefined ? describe.skip : describe)('in headless Chromium, from a file', () => {
  let folder: string;
  let browser: Browser;
  let page: Page;
  let url: string;
  let faults: string[];
  let requests: string[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'talaria-playground-'));
    const file = join(folder, 'index.html');
    await writeFile(file, await buildPage());
    url = pathToFileURL(file).href;
    browser = await chromium.launch({
      ...(program === undefined ? {} : { executablePath: program }),
      args: ['--disable-gpu', '--disable-quic', '--disable-sync', '--no-first-run', '--no-proxy-server'],
    });
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  }, 60_000);

  beforeEach(async () => {
    faults = [];
    requests = [];
    page = await browser.newPage();
    page.on('pageerror', (error) => faults.push(error.message));
    // What the policy refuses is told there, too.
    page.on('console', (message) => faults.push(message.text()));
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(url);
  });

  afterEach(async () => {
    expect({ faults, requests }).toEqual({ faults: [], requests: [url] });
    await page.close();
  });

  const field = (label: string) => page.getByLabel(label);
  const shown = (selector: string) => page.locator(`#result ${selector}`).allTextContents();
  const titles = () => shown('h3');

  /** Sets a text of any length at once, as a paste does. */
  async function paste(text: string): Promise<void> {
    await page.evaluate(`{
      const field = document.getElementById('text');
      field.value = ${JSON.stringify(text)};
      field.dispatchEvent(new Event('input'));
    }`);
  }

  /** Streams with this many characters per delta to the end, and gives what is said then. */
  async function stream(deltaLength: number, commit: 'call' | 'eager'): Promise<string> {
    await field('Commit mode').selectOption(commit);
    await field('Characters per delta').fill(String(deltaLength));
    await page.locator('#verdict').filter({ hasText: 'result' }).waitFor({ timeout: 50_000 });
    return (await page.locator('#progress, #verdict').allTextContents()).join('. ');
  }

  test('a reply of Hermes is read as it is typed, arguments laid out in the spelling of the model', async () => {
    await field('Parser').selectOption('hermes');
    await field('Text of the model').fill(
      'Let me look.\n<tool_call>\n{"name": "sum", "arguments": {"a": 12345678901234567890, "b": [1.0, "x"], "c": {}}}\n</tool_call>',
    );
    expect(await titles()).toEqual(['Content', 'Calls: 1', 'Errors: 0']);
    expect(await shown('#content')).toEqual(['Let me look.']);
    expect(await shown('article strong')).toEqual(['sum']);
    expect(await shown('article pre')).toEqual([
      '{\n  "a": 12345678901234567890,\n  "b": [\n    1.0,\n    "x"\n  ],\n  "c": {}\n}',
    ]);
  });

  test('a reply of Qwen3-Coder has the types of its tools', async () => {
    await field('Parser').selectOption('qwen3_coder');
    await field('Text of the model').fill(
      '<tool_call>\n<function=find>\n<parameter=id>\n12\n</parameter>\n<parameter=name>\n12\n</parameter>\n</function>\n</tool_call>',
    );
    const properties = { id: { type: 'integer' }, name: { type: 'string' } };
    await field('Tools').fill(JSON.stringify([{ name: 'find', parameters: { type: 'object', properties } }]));
    expect(await shown('article pre')).toEqual(['{\n  "id": 12,\n  "name": "12"\n}']);
    expect(await shown('p')).toEqual(['None.']);
  });

  test.each([
    ['[{]', /^Not JSON/],
    ['{"tools": []}', /give an array/],
    ['[{"name": "a"}, {"name": 1}]', /entry 1/],
    ['[null]', /entry 0/],
    ['[{"function": {"name": "a", "parameters": []}}]', /entry 0/],
  ])('tools that are none are named, and the text is read without them: %s', async (tools, fault) => {
    await field('Tools').fill(tools);
    expect(await page.locator('#tools-fault').textContent()).toMatch(fault);
    expect(await titles()).toContain('Calls: 1');
    await field('Tools').fill('');
    expect(await page.locator('#tools-fault').textContent()).toBe('');
  });

  test('the place of a broken call is marked, and can be selected in the text', async () => {
    const broken = '<tool_call>\n{"name": "ls", "arguments": {oops}}\n</tool_call>';
    await field('Text of the model').fill(`Before. ${broken} After.`);
    expect(await titles()).toEqual(['Content', 'Calls: 0', 'Errors: 1']);
    expect(await shown('article strong')).toEqual(['bad-json']);
    const [marked = ''] = await shown('mark');
    expect(marked).toMatch(/^<tool_call>\n\{"name"/);
    await page.getByRole('button', { name: 'Select in the text' }).press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('text');
    expect(await page.evaluate('getSelection().toString()')).toBe(marked);
  });

  test('a model name chooses both parsers, and the sample follows', async () => {
    await field('Model name').fill('Qwen/Qwen3-8B');
    expect(await page.locator('#detected').textContent()).toMatch(
      /^qwen, confidence high: the model name holds .*; or hermes/,
    );
    expect(await field('Reasoning').inputValue()).toBe('qwen3');
    await field('Model name').fill('{{- "<tool_call>\\n<function=" + name + ">\\n<parameter=" }}');
    expect(await field('Parser').inputValue()).toBe('qwen3_coder');
    expect(await field('Text of the model').inputValue()).toContain('<function=get_weather>');
    await field('Model name').fill('nothing known');
    expect(await page.locator('#detected').textContent()).toMatch(/^No format that is known/);
  });

  test('reasoning is shown apart', async () => {
    await field('Reasoning').selectOption('qwen3');
    await field('Text of the model').fill('<think>\nEasy.\n</think>\n\nFour.');
    expect(await titles()).toEqual(['Reasoning', 'Content', 'Calls: 0', 'Errors: 0']);
    expect(await shown('pre')).toEqual(['Easy.', 'Four.']);
  });

  test('every parser has a sample that holds one call', async () => {
    const options = await page.locator('#parser option').allTextContents();
    expect(options).toEqual(listParsers());
    expect(await page.locator('#reasoning option').allTextContents()).toEqual(listReasoningParsers());
    for (const name of options) {
      await field('Parser').selectOption(name);
      expect([name, ...(await titles())]).toEqual([name, 'Content', 'Calls: 1', 'Errors: 0']);
      expect(await shown('article pre')).toEqual(['{\n  "city": "Oslo",\n  "days": 3\n}']);
    }
  });

  test.each(['call', 'eager'] as const)(
    'a stream in deltas of one character ends the same, commit %s',
    async (commit) => {
      await field('Reasoning').selectOption('qwen3');
      await field('Text of the model').fill(
        '<think>Hm 🌦.</think>Look: <tool_call>\n{"name": "a", "arguments": {"x": "🌍"}}\n</tool_call> <tool_call>{"name": "b", "arguments": {"y": 1, oops}}</tool_call>',
      );
      expect(await titles()).toEqual(['Reasoning', 'Content', 'Calls: 1', 'Errors: 1']);
      expect(await stream(1, commit)).toMatch(/^(\d+) of \1 characters, \d+ events\. They add up to the result\.$/);
      const events = await field('Events').inputValue();
      const types = events.split('\n').map((line) => line.replace(/ .*/, ''));
      expect(types.filter((type) => type === 'call-start')).toHaveLength(commit === 'call' ? 1 : 2);
      expect(types.filter((type) => type === 'call-abort')).toHaveLength(commit === 'call' ? 0 : 1);
      expect(types.filter((type) => type === 'call-end' || type === 'error')).toEqual(['call-end', 'error']);
    },
  );

  test('no text at all is streamed, too', async () => {
    await field('Text of the model').fill('');
    expect(await stream(1, 'eager')).toBe('0 of 0 characters, 0 events. They add up to the result.');
  });

  test('a change of the text ends the stream of the text before', async () => {
    await paste('word '.repeat(20_000));
    await page.getByRole('button', { name: 'Stream' }).press('Enter');
    await page.locator('#progress').filter({ hasText: 'events' }).waitFor();
    await field('Text of the model').fill('Other.');
    expect(await page.locator('#progress').textContent()).toBe('');
    expect(await stream(1, 'call')).toMatch(/^6 of 6 characters/);
  });

  test('markup in a text, a megabyte of it, stays text', async () => {
    const hostile = '<img src=x onerror="document.title=1"></pre><script>document.title=2</script>\n';
    const text = hostile.repeat(Math.ceil(2 ** 20 / hostile.length));
    await paste(text);
    await field('Model name').fill(hostile);
    const [content = ''] = await shown('#content');
    expect(content.startsWith(text.slice(0, 20_000))).toBe(true);
    expect(content.slice(20_000)).toMatch(/^… \([\d,]+ more characters\)$/);
    expect(await stream(64, 'eager')).toMatch(/events, the last 200 of them shown\. They add up to the result\.$/);
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.locator('script').count()).toBe(1);
    expect(await page.title()).toBe('Tool-call parsers');
  }, 60_000);

  test.each([
    ['start markers', '<tool_call>'],
    ['calls', '<tool_call>{"name":"<b>","arguments":{"x":"<i>"}}</tool_call>'],
  ])(
    'very many %s are read and streamed character by character',
    async (_title, unit) => {
      await paste(unit.repeat(Math.ceil(2 ** 18 / unit.length)));
      expect(await page.locator('#result article').count()).toBeLessThanOrEqual(100);
      expect(await stream(1, 'eager')).toMatch(/They add up to the result\.$/);
      expect(await page.locator('#result b, #result i').count()).toBe(0);
    },
    60_000,
  );

  test('light and dark follow the system, and every field has a name', async () => {
    const background = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    await page.emulateMedia({ colorScheme: 'light' });
    const light = await background();
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await background()).not.toBe(light);
    const nameless = `[...document.querySelectorAll('input, select, textarea')].filter((field) => field.labels.length === 0)`;
    expect(await page.evaluate(`${nameless}.length`)).toBe(0);
  });
});

(program === undefined ? describe.skip : describe)('the policy of the page', () => {
  test('refuses handlers in markup, even if some got in', async () => {
    const browser = await chromium.launch(program === undefined ? {} : { executablePath: program });
    try {
      const page = await browser.newPage();
      await page.setContent(await buildPage());
      const refused = page.waitForEvent('console', (message) => message.text().includes('Content Security Policy'));
      await page.evaluate(`document.body.insertAdjacentHTML('beforeend', '<p onclick="document.title = 1">Hello</p>')`);
      await page.getByText('Hello').click();
      await refused;
      expect(await page.title()).toBe('Tool-call parsers');
    } finally {
      await browser.close();
    }
  });
});
