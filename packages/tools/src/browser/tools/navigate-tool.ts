import type { Tool } from '../../tool.ts';
import { botDetectionWarning } from './bot-detection.ts';
import { type BrowserToolsSetup, browserTool, shownPage } from './browser-tool.ts';

/** The tool `browser_navigate`: opens an address. */
export function createNavigateTool(setup: BrowserToolsSetup): Tool {
  return browserTool<{ readonly url: string }>(setup, {
    name: 'browser_navigate',
    description: (availableTools) => {
      const other = ['web_search', 'web_extract'].filter((name) => availableTools.has(name)).join(' or ');
      const advice = other === '' ? '' : ` To find or only read something, ${other} is quicker.`;
      return `Open a web page in the browser; the other browser tools work with it. Follow with browser_snapshot to see it.${advice}`;
    },
    parameters: {
      type: 'object',
      properties: {
        url: { type: 'string', minLength: 1, description: 'Complete address, with http:// or https://' },
      },
      required: ['url'],
    },
    timeoutMs: setup.navigateTimeoutMs,
    withoutSession: 'open',
    async execute({ url }, step) {
      step.slot.shownSnapshot = undefined;
      const { status } = await step.session.navigate(url.trim(), step);
      const page = shownPage(await step.session.state(step));
      const warning = botDetectionWarning(page.title);
      return {
        ...page,
        ...(status === null || status < 400 ? {} : { status }),
        ...(warning === undefined ? {} : { bot_detection_warning: warning }),
      };
    },
  });
}
