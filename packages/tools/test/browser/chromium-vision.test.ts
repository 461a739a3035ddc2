import { expect, test } from '@jest/globals';
import { messageText } from '@talaria/core';
import { createBuiltinRegistry } from '@talaria/tools';
import { createBrowserTools } from '@talaria/tools/browser';
import { describeMissingBrowser } from '@talaria/tools/browser/playwright';
import type { ToolModel } from '@talaria/tools/models';
import { openLocalTools } from '../open-local-sandbox.ts';
import { chromiumProgram, describeWithChromium } from './describe-with-chromium.ts';
import { openChromium } from './open-chromium.ts';

/** Tells what it was asked and shown. */
function echoModel(pictures: string[]): ToolModel {
  return {
    name: 'echo',
    async ask({ messages }) {
      const [message] = messages;
      if (message?.role !== 'user' || typeof message.content === 'string') throw new TypeError('No picture');
      for (const part of message.content) if (part.type === 'image_url') pictures.push(part.image_url.url);
      return { text: messageText(message), usage: null };
    },
  };
}

describeWithChromium('looking at pages', () => {
  test('a picture of the page is stored in the sandbox, shown to the model and asked about', async () => {
    await using subject = await openChromium((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Page</title><button>Push</button>'),
    );
    const pictures: string[] = [];
    const tools = createBrowserTools({ driver: subject.driver, vision: echoModel(pictures) });
    await using local = await openLocalTools({ view: createBuiltinRegistry(tools).view({ enabled: ['browser'] }) });
    await local.tools.callJson('browser_navigate', { url: `${subject.origin}/` });
    const plain = await local.tools.callJson('browser_vision', { question: 'Which colour?' });
    expect(plain).toMatchObject({ success: true, analysis: expect.stringContaining('Which colour?') });
    const stored = await local.sandbox.readFile(String(plain['screenshot_path']));
    expect(Buffer.from(stored.bytes).toString('base64')).toBe(pictures[0]?.replace(/^data:image\/png;base64,/, ''));
    const annotated = await local.tools.callJson('browser_vision', { question: 'Where?', annotate: true });
    expect(annotated).toMatchObject({ success: true, analysis: expect.stringContaining('@e5') });
    expect(annotated['screenshot_path']).not.toBe(plain['screenshot_path']);
    const again = await local.tools.callJson('browser_vision', { question: 'Which colour?' });
    expect(again['screenshot_path']).toBe(plain['screenshot_path']);
    await local.tools.callJson('browser_close', {});
  }, 120_000);

  test('nothing is missing where the package and the program are there', async () => {
    expect(await describeMissingBrowser({ executablePath: chromiumProgram })).toEqual([]);
  }, 60_000);
});
