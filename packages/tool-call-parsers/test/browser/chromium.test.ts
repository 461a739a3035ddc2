import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findChromium } from '@talaria/testing-services';
import { listParsers } from '@talaria/tool-call-parsers';
import { build } from 'esbuild';
import { type Browser, chromium, type Page } from 'playwright-core';
import { entryPoints } from '../entry-points.ts';
import { readVectorFiles } from '../vector-files.ts';
import { readVectors } from '../vector-readings.ts';
import { type FileServer, serveFiles } from './serve-files.ts';

const program = findChromium(process.env['PATH'] ?? '');
const mustRun = process.env['TALARIA_REQUIRE_SERVICES'] === '1';
const vectorFiles = readVectorFiles();
const expected = readVectors(vectorFiles);

test('Chromium is there to be tested with', () => {
  if (program === undefined)
    process.stderr.write(
      'SKIPPED tests in a browser: neither Chromium nor Chrome is installed (apt-get install chromium)\n',
    );
  expect(program !== undefined || !mustRun).toBe(true);
});

/** The entry points and the test program, each a script that a page can import; what they share is in further scripts. */
async function bundleScripts(): Promise<Map<string, string>> {
  const result = await build({
    entryPoints: {
      ...Object.fromEntries([...entryPoints].map(([name, specifier]) => [`entry/${name}`, specifier])),
      'page-program': './test/browser/page-program.ts',
    },
    absWorkingDir: fileURLToPath(new URL('../..', import.meta.url)),
    conditions: ['@talaria/source'],
    outdir: '/',
    bundle: true,
    splitting: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    logLevel: 'silent',
  });
  return new Map(result.outputFiles.map((file) => [file.path, file.text]));
}

(program === undefined ? describe.skip : describe)('in headless Chromium', () => {
  let server: FileServer;
  let browser: Browser;
  let page: Page;
  const pageErrors: string[] = [];

  beforeAll(async () => {
    const scripts = await bundleScripts();
    server = await serveFiles(new Map([...scripts, ['/vectors.json', JSON.stringify(vectorFiles)]]));
    browser = await chromium.launch({
      ...(program === undefined ? {} : { executablePath: program }),
      args: ['--disable-gpu', '--disable-quic', '--disable-sync', '--no-first-run', '--no-proxy-server'],
    });
    page = await browser.newPage();
    page.on('pageerror', (error) => pageErrors.push(error.message));
    await page.goto(server.url);
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
  }, 60_000);

  test.each([...entryPoints])('the entry %s exports what it exports in Node', async (name, specifier) => {
    const exported = await page.evaluate(`import('/entry/${name}.js').then((entry) => Object.keys(entry).sort())`);
    expect(exported).toEqual(Object.keys((await import(specifier)) as object).sort());
  });

  test('a page reads every vector, whole and streamed, as Node does', async () => {
    const readings = await page.evaluate(`import('/page-program.js').then((program) => program.readings)`);
    expect(readings).toEqual(expected);
    expect(pageErrors).toEqual([]);
  });

  test('a worker reads every vector, whole and streamed, as Node does', async () => {
    const started = page.waitForEvent('worker');
    await page.evaluate(`void new Worker('/page-program.js', { type: 'module' })`);
    const worker = await started;
    expect(await worker.evaluate(`import('/page-program.js').then((program) => program.readings)`)).toEqual(expected);
  });
});

describe('what the page is compared with', () => {
  test.each(listParsers())('%s has vectors, and streams them as it reads them whole', (name) => {
    const readings = expected[name] ?? [];
    expect(readings.length).toBeGreaterThan(12);
    expect(readings.filter((reading) => reading.differences.length > 0)).toEqual([]);
  });
});
