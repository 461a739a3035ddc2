import { ConfigError } from '@talaria/core';
import type { ToolModel } from '../models/ports.ts';
import type { Tool, ToolAvailability } from '../tool.ts';
import type { BrowserDriver } from './browser-driver.ts';
import { createSessionKey } from './session-slot.ts';
import type { BrowserToolsSetup } from './tools/browser-tool.ts';
import { createCloseTool, createConsoleTool, createImagesTool } from './tools/inspection-tools.ts';
import {
  createBackTool,
  createClickTool,
  createPressTool,
  createScrollTool,
  createTypeTool,
} from './tools/interaction-tools.ts';
import { createNavigateTool } from './tools/navigate-tool.ts';
import { createSnapshotTool } from './tools/snapshot-tool.ts';
import { createVisionTool } from './tools/vision-tool.ts';

/** What {@link createBrowserTools} takes. */
export interface BrowserToolsOptions {
  /** Drives the browser; stays its owner's to dispose of, after all rollouts. `null`: the tools are hidden. */
  readonly driver: BrowserDriver | null;
  /** Looks at pages for `browser_vision`. @default none: that tool is hidden */
  readonly vision?: ToolModel | undefined;
  /** UTF-16 units of a page that one snapshot gives. @default 8_000 */
  readonly maxSnapshotChars?: number | undefined;
  /** Wall clock of one step, in milliseconds. @default 30_000 */
  readonly stepTimeoutMs?: number | undefined;
  /** Wall clock of opening a page, or going back to one, in milliseconds. @default 60_000 */
  readonly navigateTimeoutMs?: number | undefined;
  /** Wall clock of `browser_vision`, the model's answer included, in milliseconds. @default 180_000 */
  readonly visionTimeoutMs?: number | undefined;
  /** How long a rollout waits for a browser while all are in use, in milliseconds. @default 300_000 */
  readonly openTimeoutMs?: number | undefined;
}

/**
 * The eleven tools `browser_*` over one driver. A rollout gets a browser by its first `browser_navigate` and keeps it in its
 * state, which closes it; model and verifier see the same pages.
 *
 * @throws ConfigError `config.invalid` for a limit that is not positive
 */
export function createBrowserTools(options: BrowserToolsOptions): readonly Tool[] {
  const { driver, vision, visionTimeoutMs = 180_000 } = options;
  const setup: BrowserToolsSetup = {
    key: driver === null ? null : createSessionKey(driver),
    checkAvailability: () => availabilityOf(driver),
    stepTimeoutMs: positive('stepTimeoutMs', options.stepTimeoutMs ?? 30_000),
    navigateTimeoutMs: positive('navigateTimeoutMs', options.navigateTimeoutMs ?? 60_000),
    openTimeoutMs: positive('openTimeoutMs', options.openTimeoutMs ?? 300_000),
    maxSnapshotChars: positive('maxSnapshotChars', options.maxSnapshotChars ?? 8_000),
  };
  return [
    createNavigateTool(setup),
    createSnapshotTool(setup),
    createClickTool(setup),
    createTypeTool(setup),
    createScrollTool(setup),
    createBackTool(setup),
    createPressTool(setup),
    createCloseTool(setup),
    createImagesTool(setup),
    createVisionTool(setup, {
      model: vision,
      timeoutMs: positive('visionTimeoutMs', visionTimeoutMs),
      canTakeScreenshots: driver?.canTakeScreenshots ?? false,
    }),
    createConsoleTool(setup),
  ];
}

function availabilityOf(driver: BrowserDriver | null): ToolAvailability {
  return driver === null ? { isAvailable: false, reason: 'no browser is configured' } : driver.checkAvailability();
}

function positive(name: string, value: number): number {
  if (value > 0) return value;
  throw new ConfigError(`${name} is ${value}`, { code: 'config.invalid', hint: 'Give a number greater than 0.' });
}
