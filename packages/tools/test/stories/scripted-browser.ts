import { type BrowserDriver, type BrowserSession, createFixtureDriver } from '@talaria/tools/browser';
import { createConsoleLog } from '../../src/browser/console-log.ts';

/** Stored pages, with a picture and a console that say the same each time. */
export function createScriptedBrowser(pages: Readonly<Record<string, string>>, picture: Uint8Array): BrowserDriver {
  const driver = createFixtureDriver({ pages });
  return {
    name: 'scripted',
    canTakeScreenshots: true,
    checkAvailability: () => driver.checkAvailability(),
    [Symbol.asyncDispose]: () => driver[Symbol.asyncDispose](),
    async open(options) {
      const session = await driver.open(options);
      const console = createConsoleLog();
      const scripted: BrowserSession = Object.create(session, {
        console: { value: console },
        screenshot: { value: async () => picture },
        navigate: {
          async value(url: string, step: Parameters<BrowserSession['navigate']>[1]) {
            const outcome = await session.navigate(url, step);
            console.addMessage({ type: 'log', text: `at ${url}`, source: `${url}:1` });
            if (url.includes('broken')) console.addError({ message: 'x is not defined', source: `${url}:2` });
            return outcome;
          },
        },
      });
      return scripted;
    },
  };
}
