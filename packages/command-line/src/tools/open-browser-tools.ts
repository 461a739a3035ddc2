import { resolve } from 'node:path';
import { ConfigError, createDisposalStack } from '@talaria/core';
import type { BrowserConfig, ToolSections } from '@talaria/environments';
import type { Tool } from '@talaria/tools';
import type { BrowserDriver } from '@talaria/tools/browser';
import type { UrlPolicy } from '@talaria/tools/web';
import type { Host } from '../host.ts';
import { expandHome } from '../state-folder.ts';
import { nameOf } from './find-tools.ts';
import { openToolModel } from './open-tool-model.ts';
import { namingSetting } from './tool-fault.ts';
import type { ToolSource, ToolSourceOptions } from './tool-source.ts';

/** Opens the tools `browser_*` with the driver of the section `browser`. A browser starts when the first call needs it. */
export async function openBrowserTools(
  host: Host,
  { browser, tools }: Pick<ToolSections, 'browser' | 'tools'>,
  options: ToolSourceOptions & { readonly policy: UrlPolicy },
): Promise<ToolSource & AsyncDisposable> {
  const { createBrowserTools } = await import('@talaria/tools/browser');
  const vision = tools.vision_model === null ? undefined : await openToolModel(host, tools.vision_model);
  const driver = await openDriver(host, browser, options);
  const stack = createDisposalStack({ logger: options.logger });
  if (driver !== null) stack.use(driver);
  const created = createBrowserTools({
    driver,
    vision,
    maxSnapshotChars: browser.max_snapshot_chars,
    stepTimeoutMs: browser.timeout_sec * 1_000,
    navigateTimeoutMs: browser.timeout_sec * 2_000,
  });
  const needsModel = (tool: Tool): boolean => nameOf(tool) === 'browser_vision' && vision === undefined;
  return {
    tools: created.map((tool) => {
      if (driver === null) return namingSetting(tool, 'browser.driver');
      return needsModel(tool) && driver.canTakeScreenshots ? namingSetting(tool, 'tools.vision_model') : tool;
    }),
    // A browser is complete without a model that looks at its pages.
    configuredTools: driver === null ? [] : created.filter((tool) => !needsModel(tool)).map(nameOf),
    async [Symbol.asyncDispose]() {
      await stack[Symbol.asyncDispose]();
    },
  };
}

async function openDriver(
  host: Host,
  browser: BrowserConfig,
  { logger, policy }: ToolSourceOptions & { readonly policy: UrlPolicy },
): Promise<BrowserDriver | null> {
  const { fixture, max_contexts: maxSessions } = browser;
  switch (browser.driver) {
    case null:
      return null;
    case 'fixture': {
      if (fixture === null) throw missingFixture();
      const { openFixtureDriver } = await import('@talaria/tools/browser');
      return await openFixtureDriver({ file: resolve(host.cwd, expandHome(fixture, host.homeFolder)), maxSessions });
    }
    case 'playwright': {
      const { createPlaywrightDriver } = await import('@talaria/tools/browser/playwright');
      return createPlaywrightDriver({
        urlPolicy: policy,
        executablePath: browser.executable_path ?? undefined,
        cdpUrl: browser.cdp_url ?? undefined,
        isHeadless: browser.headless,
        args: browser.args,
        maxSessions,
        logger,
        clock: host.clock,
      });
    }
  }
}

function missingFixture(): ConfigError {
  return new ConfigError('browser.driver is fixture, and browser.fixture names no file', {
    code: 'config.missing-file',
    hint: 'Name in browser.fixture a JSON file with an object of pages: {"https://example.com/": "<h1>…</h1>"}.',
  });
}
