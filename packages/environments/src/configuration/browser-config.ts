import { z } from 'zod';
import type { SchemaOf } from './environment-config.ts';
import { countAtOnce, flag, optionalText, textList, wholeNumber } from './field-schemas.ts';

/** The section `browser`: what drives the tools `browser_*`. */
export type BrowserConfig = {
  /** `null`: the tools are not offered. */
  readonly driver: 'playwright' | 'fixture' | null;
  /** Chromium's program; `null`: where it usually is. */
  readonly executable_path: string | null;
  /** Address of a running browser (`http://127.0.0.1:9222`), in place of a new one. */
  readonly cdp_url: string | null;
  readonly headless: boolean;
  /** More arguments of the program. */
  readonly args: readonly string[];
  /** File with the pages of the driver `fixture`. */
  readonly fixture: string | null;
  readonly max_contexts: number;
  readonly timeout_sec: number;
  readonly max_snapshot_chars: number;
};

/** Schema of the section `browser`. */
export const browserConfigSchema: SchemaOf<BrowserConfig> = z
  .strictObject({
    driver: z
      .enum(['playwright', 'fixture'])
      .nullable()
      .default(null)
      .describe('What drives the browser; null: no browser tools.'),
    executable_path: optionalText('Program of Chromium; null: where it usually is.'),
    cdp_url: optionalText('Address of a running browser, in place of a new one.'),
    headless: flag(true, 'Show no window.'),
    args: textList('More arguments of the program.'),
    fixture: optionalText('File with the pages of the driver fixture.'),
    max_contexts: countAtOnce(8, 'Rollouts with a browser at the same time; others wait.'),
    timeout_sec: wholeNumber(30, 'Seconds of one step; pages have twice as long.', 1),
    max_snapshot_chars: wholeNumber(8_000, 'Characters of a page that one snapshot gives.', 500),
  })
  .describe('the browser of the tools');
