export type {
  BrowserDriver,
  BrowserSession,
  BrowserStep,
  NavigationOutcome,
  PageImage,
  PageState,
  ScrollDirection,
  ScrollOutcome,
  TypedInto,
} from './browser-driver.ts';
export { BrowserError, type BrowserErrorOptions } from './browser-error.ts';
export type { ConsoleMessage, ConsoleRecord, ScriptError } from './console-log.ts';
export { type BrowserToolsOptions, createBrowserTools } from './create-browser-tools.ts';
export {
  createFixtureDriver,
  type FixtureDriverOptions,
  type FixtureFileOptions,
  openFixtureDriver,
} from './fixture/fixture-driver.ts';
