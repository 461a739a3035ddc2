import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { chromiumProgram, describeWithChromium } from './describe-with-chromium.ts';
import { processesWith } from './open-chromium.ts';

const driverModule = new URL('../../src/browser/playwright/index.ts', import.meta.url).href;

describeWithChromium('a program that is killed', () => {
  test('leaves no browser behind', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'talaria-browser-orphan-'));
    const script = `
      import { createPlaywrightDriver } from ${JSON.stringify(driverModule)};
      const driver = createPlaywrightDriver({ executablePath: ${JSON.stringify(chromiumProgram)}, temporaryFolder: ${JSON.stringify(folder)} });
      await driver.open({ signal: new AbortController().signal });
      console.log('open');`;
    const child = spawn(
      process.execPath,
      ['--conditions=@talaria/source', '--no-warnings', '--input-type=module', '--eval', script],
      { env: { PATH: process.env['PATH'], TMPDIR: folder }, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const ended = once(child, 'exit');
    expect(String(await Promise.race([once(child.stdout, 'data'), ended]))).toMatch(/open/);
    expect((await processesWith(folder)).length).toBeGreaterThan(1);
    child.kill('SIGKILL');
    await ended;
    while ((await processesWith(folder)).length > 0) await new Promise((resolve) => setTimeout(resolve, 100));
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }, 60_000);
});
