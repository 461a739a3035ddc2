export {
  type BrowserCheckOptions,
  describeMissingBrowser,
  type MissingBrowserPart,
} from './describe-missing-browser.ts';
export type { Playwright } from './load-playwright.ts';
export { createPlaywrightDriver } from './playwright-driver.ts';
export type { PlaywrightDriverOptions, PopupPolicy } from './playwright-driver-options.ts';
