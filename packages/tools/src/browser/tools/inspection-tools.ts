import { truncateText } from '@talaria/core';
import { toolFromOptions } from '../../define-tool.ts';
import type { Tool } from '../../tool.ts';
import { markedResult } from '../../tool-result.ts';
import { type BrowserToolsSetup, browserTool, failedStep } from './browser-tool.ts';

/** Images that are listed. */
const maxImages = 100;

/** The tool `browser_get_images`. */
export function createImagesTool(setup: BrowserToolsSetup): Tool {
  return browserTool(setup, {
    name: 'browser_get_images',
    description: `List the images of the page with their addresses, descriptions and sizes, at most ${maxImages}.`,
    parameters: { type: 'object', properties: {} },
    async execute(_args, step) {
      const images = await step.session.images(step);
      const listed = images.slice(0, maxImages).map(({ src, alt, width, height }) => ({
        src: truncateText(src, 1_000),
        alt: truncateText(alt, 300),
        width,
        height,
      }));
      return { images: listed, count: images.length };
    },
  });
}

/** The tool `browser_console`. */
export function createConsoleTool(setup: BrowserToolsSetup): Tool {
  return browserTool<{ readonly clear?: boolean }>(setup, {
    name: 'browser_console',
    description: 'Show what pages wrote to the console and which of their scripts failed: the last 100 of each.',
    parameters: {
      type: 'object',
      properties: { clear: { type: 'boolean', default: false, description: 'Forget them after they are shown' } },
    },
    async execute({ clear = false }, { session }) {
      const { messages, errors, totalMessages, totalErrors } = session.console;
      const result = {
        console_messages: messages.map((message) => ({ ...message })),
        js_errors: errors.map((error) => ({ ...error })),
        total_messages: totalMessages,
        total_errors: totalErrors,
      };
      if (clear) session.console.clear();
      return result;
    },
  });
}

/** The tool `browser_close`: ends the session, so that another rollout can have its place. */
export function createCloseTool({ key, checkAvailability }: BrowserToolsSetup): Tool {
  return toolFromOptions({
    name: 'browser_close',
    toolset: 'browser',
    sideEffect: 'external',
    checkAvailability,
    description: 'Close the browser with its pages, cookies and history. browser_navigate opens a new one.',
    parameters: { type: 'object', properties: {} },
    async execute(_args, { state, signal }) {
      if (key === null) return failedStep('not_available', 'No browser is configured.');
      const slot = state.get(key);
      using _turn = await slot.enter(signal);
      const isClosed = await slot.close();
      return markedResult({ success: true, closed: isClosed, ...(isClosed ? {} : { note: 'None was open.' }) }, null);
    },
  });
}
