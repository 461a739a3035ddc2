import type { Tool } from '../../tool.ts';
import { parseRef } from '../snapshot/parse-ref.ts';
import { type BrowserToolsSetup, browserTool, shownPage, withChanges } from './browser-tool.ts';

const refParameter = { type: 'string', minLength: 1, description: 'Ref of the element in the last snapshot, as "@e5"' };

/** The tool `browser_click`. */
export function createClickTool(setup: BrowserToolsSetup): Tool {
  return browserTool<{ readonly ref: string }>(setup, {
    name: 'browser_click',
    description: 'Click an element of the page, named by its ref in the last snapshot.',
    parameters: { type: 'object', properties: { ref: refParameter }, required: ['ref'] },
    execute: ({ ref: given }, step) =>
      withChanges(step, async () => {
        const ref = parseRef(given);
        await step.session.click(ref, step);
        return { clicked: `@${ref}` };
      }),
  });
}

/** The tool `browser_type`. */
export function createTypeTool(setup: BrowserToolsSetup): Tool {
  return browserTool<{ readonly ref: string; readonly text: string }>(setup, {
    name: 'browser_type',
    description:
      'Fill in a field, named by its ref in the last snapshot: what it held is replaced. In a list of choices, choose the one of this name.',
    parameters: {
      type: 'object',
      properties: {
        ref: refParameter,
        text: { type: 'string', maxLength: 100_000, description: 'What the field shall hold' },
      },
      required: ['ref', 'text'],
    },
    execute: ({ ref: given, text }, step) =>
      withChanges(step, async () => {
        const ref = parseRef(given);
        const { isSecret } = await step.session.type(ref, text, step);
        return { typed: isSecret ? '[hidden]' : text, element: `@${ref}` };
      }),
  });
}

/** The tool `browser_press`. */
export function createPressTool(setup: BrowserToolsSetup): Tool {
  return browserTool<{ readonly key: string }>(setup, {
    name: 'browser_press',
    description: 'Press a key where the focus is, for example Enter to send a form that was just filled in.',
    parameters: {
      type: 'object',
      properties: {
        key: {
          type: 'string',
          minLength: 1,
          maxLength: 50,
          description: 'Enter, Tab, Escape, ArrowDown, a, Control+a, …',
        },
      },
      required: ['key'],
    },
    execute: ({ key }, step) =>
      withChanges(step, async () => {
        await step.session.press(key, step);
        return { pressed: key };
      }),
  });
}

/** The tool `browser_back`. */
export function createBackTool(setup: BrowserToolsSetup): Tool {
  return browserTool(setup, {
    name: 'browser_back',
    description: 'Go back to the page before.',
    parameters: { type: 'object', properties: {} },
    timeoutMs: setup.navigateTimeoutMs,
    async execute(_args, step) {
      step.slot.shownSnapshot = undefined;
      await step.session.back(step);
      return shownPage(await step.session.state(step));
    },
  });
}

/** The tool `browser_scroll`. */
export function createScrollTool(setup: BrowserToolsSetup): Tool {
  return browserTool<{ readonly direction: 'up' | 'down' }>(setup, {
    name: 'browser_scroll',
    description:
      'Scroll the page by most of what is visible. Pages that load more on the way show it in the next snapshot.',
    parameters: {
      type: 'object',
      properties: { direction: { type: 'string', enum: ['up', 'down'], description: 'Where to' } },
      required: ['direction'],
    },
    async execute({ direction }, step) {
      const { hasMoved } = await step.session.scroll(direction, step);
      const end = direction === 'down' ? 'end' : 'beginning';
      return { scrolled: direction, ...(hasMoved ? {} : { note: `The page is at its ${end} already.` }) };
    },
  });
}
