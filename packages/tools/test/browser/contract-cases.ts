import assert from 'node:assert/strict';
import type { BrowserDriver } from '@talaria/tools/browser';
import { type BrowserTools, openBrowserTools, refIn } from './open-browser-tools.ts';

/** What a case works with. */
export interface ContractSubject {
  readonly driver: BrowserDriver;
  /** Where the pages of the contract are: `http://shop.test:1234`. */
  readonly origin: string;
}

/** A sentence that holds for every driver. */
export interface ContractCase {
  readonly name: string;
  readonly run: (subject: ContractSubject) => Promise<void>;
}

function open({ driver }: ContractSubject): BrowserTools {
  return openBrowserTools({ driver });
}

async function snapshotOf(tools: BrowserTools, args: { full?: boolean; offset?: number } = {}): Promise<string> {
  const result = await tools.callJson('browser_snapshot', args);
  assert.equal(result['success'], true, JSON.stringify(result));
  return String(result['snapshot']);
}

export const browserContract: readonly ContractCase[] = [
  {
    name: 'a page is opened and told by address and title',
    async run(subject) {
      await using tools = open(subject);
      const result = await tools.callJson('browser_navigate', { url: `${subject.origin}/` });
      assert.deepEqual(result, { success: true, url: `${subject.origin}/`, title: 'Shop' });
    },
  },
  {
    name: 'a snapshot shows text, and refs where something can be done',
    async run(subject) {
      await using tools = open(subject);
      await tools.callJson('browser_navigate', { url: `${subject.origin}/` });
      const result = await tools.callJson('browser_snapshot', {});
      const snapshot = String(result['snapshot']);
      assert.match(snapshot, /^ *- heading "Shop" \[level=1\]$/m);
      assert.match(snapshot, /paragraph.*: Two fine things$/m);
      assert.match(snapshot, /- link "First thing" \[ref=e\d+\]:\n +- \/url: \/things\/1$/m);
      assert.match(snapshot, /- textbox "Search for" \[ref=e\d+\]: old$/m);
      assert.match(snapshot, /- checkbox "Gift" \[ref=e\d+\]$/m);
      assert.match(snapshot, /- combobox "Size" \[ref=e\d+\]:\n +- option "Small" \[selected\]\n +- option "Large"/m);
      assert.equal(result['element_count'], 9);
      assert.match(await snapshotOf(tools, { full: true }), /- heading "Shop" \[level=1\] \[ref=e\d+\]/);
    },
  },
  {
    name: 'what password fields hold is never shown',
    async run(subject) {
      await using tools = open(subject);
      await tools.callJson('browser_navigate', { url: `${subject.origin}/` });
      const before = await snapshotOf(tools, { full: true });
      assert.match(before, /textbox "Code" .*: \[hidden\]$/m);
      const typed = await tools.callJson('browser_type', { ref: refIn(before, /"Code"/), text: 's3cret: "x"' });
      assert.equal(typed['typed'], '[hidden]');
      const after = await tools.call('browser_snapshot', { full: true });
      assert.ok(!after.content.includes('s3cret') && !after.content.includes('pre set'));
    },
  },
  {
    name: 'a link is followed by its ref, with @ or without, and back leads back',
    async run(subject) {
      await using tools = open(subject);
      await tools.callJson('browser_navigate', { url: `${subject.origin}/` });
      const ref = refIn(await snapshotOf(tools), /First thing/);
      const clicked = await tools.callJson('browser_click', { ref });
      assert.deepEqual(clicked, {
        success: true,
        clicked: `@${ref}`,
        url: `${subject.origin}/things/1`,
        title: 'First',
      });
      const back = await tools.callJson('browser_back', {});
      assert.deepEqual(back, { success: true, url: `${subject.origin}/`, title: 'Shop' });
      const second = refIn(await snapshotOf(tools), /Second thing/);
      const result = await tools.callJson('browser_click', { ref: `@${second}` });
      assert.equal(result['title'], 'Second');
    },
  },
  {
    name: 'there is no going back from the first page',
    async run(subject) {
      await using tools = open(subject);
      await tools.callJson('browser_navigate', { url: `${subject.origin}/` });
      const result = await tools.callJson('browser_back', {});
      assert.equal(result['success'], false);
      assert.equal(result['error_kind'], 'not_found');
      assert.match(await snapshotOf(tools), /heading "Shop"/);
    },
  },
  {
    name: 'a ref of an earlier page is refused, with the advice to take a new snapshot',
    async run(subject) {
      await using tools = open(subject);
      await tools.callJson('browser_navigate', { url: `${subject.origin}/` });
      const ref = refIn(await snapshotOf(tools), /"Order"/);
      await tools.callJson('browser_navigate', { url: `${subject.origin}/things/1` });
      for (const call of ['browser_click', 'browser_type']) {
        const result = await tools.callJson(call, { ref, ...(call === 'browser_type' ? { text: 'x' } : {}) });
        assert.equal(result['success'], false);
        assert.equal(result['error_kind'], 'not_found');
        assert.match(String(result['error']), /new snapshot/);
      }
      const nonsense = await tools.callJson('browser_click', { ref: 'the button' });
      assert.equal(nonsense['error_kind'], 'invalid_args');
    },
  },
  {
    name: 'a form is sent by GET with a key, and by POST with a click',
    async run(subject) {
      await using tools = open(subject);
      await tools.callJson('browser_navigate', { url: `${subject.origin}/` });
      let snapshot = await snapshotOf(tools);
      const typed = await tools.callJson('browser_type', { ref: refIn(snapshot, /"Search for"/), text: 'new thing' });
      assert.equal(typed['typed'], 'new thing');
      assert.match(await snapshotOf(tools), /"Search for" \[ref=e\d+\]: new thing$/m);
      const pressed = await tools.callJson('browser_press', { key: 'Enter' });
      assert.equal(pressed['title'], 'Found', JSON.stringify(pressed));
      await tools.callJson('browser_back', {});
      snapshot = await snapshotOf(tools);
      await tools.callJson('browser_type', { ref: refIn(snapshot, /"Who"/), text: 'Me' });
      await tools.callJson('browser_type', { ref: refIn(snapshot, /"Code"/), text: 's3cret' });
      await tools.callJson('browser_type', { ref: refIn(snapshot, /"Size"/), text: 'Large' });
      await tools.callJson('browser_click', { ref: refIn(snapshot, /checkbox "Gift"/) });
      assert.match(await snapshotOf(tools), /checkbox "Gift" \[checked\]/);
      const ordered = await tools.callJson('browser_click', { ref: refIn(snapshot, /"Order"/) });
      assert.equal(ordered['title'], 'Thanks', JSON.stringify(ordered));
    },
  },
  {
    name: 'wrong keys, options and addresses are told',
    async run(subject) {
      await using tools = open(subject);
      await tools.callJson('browser_navigate', { url: `${subject.origin}/` });
      const snapshot = await snapshotOf(tools);
      const key = await tools.callJson('browser_press', { key: 'NoSuchKey' });
      assert.equal(key['error_kind'], 'invalid_args', JSON.stringify(key));
      const button = await tools.callJson('browser_type', { ref: refIn(snapshot, /"Order"/), text: 'x' });
      assert.equal(button['error_kind'], 'invalid_args', JSON.stringify(button));
      for (const url of [
        'file:///etc/passwd',
        'data:text/html,x',
        'chrome://version',
        'javascript:1',
        'nonsense',
        '',
      ]) {
        const result = await tools.callJson('browser_navigate', { url });
        assert.ok(
          result['error_kind'] === 'blocked' || result['error_kind'] === 'invalid_args',
          JSON.stringify(result),
        );
      }
    },
  },
  {
    name: 'a long page is shown in parts that end at lines and lose nothing',
    async run(subject) {
      await using tools = open(subject);
      await tools.callJson('browser_navigate', { url: `${subject.origin}/long` });
      const parts: string[] = [];
      let offset: number | undefined = 0;
      while (offset !== undefined) {
        const result = await tools.callJson('browser_snapshot', { offset });
        const part = String(result['snapshot']);
        assert.ok(part.length <= 8_000);
        parts.push(part);
        const next = result['next_offset'];
        offset = typeof next === 'number' ? next : undefined;
      }
      assert.ok(parts.length > 1);
      const numbers = [...parts.join('\n').matchAll(/Paragraph number (\d+)/g)].map(([, number]) => Number(number));
      assert.deepEqual(
        numbers,
        Array.from({ length: 400 }, (_, index) => index),
      );
    },
  },
  {
    name: 'images are listed with address, description and size',
    async run(subject) {
      await using tools = open(subject);
      await tools.callJson('browser_navigate', { url: `${subject.origin}/` });
      const result = await tools.callJson('browser_get_images', {});
      assert.equal(result['count'], 1);
      const [image] = result['images'] as readonly { src: string; alt: string }[];
      assert.equal(image?.src, `${subject.origin}/logo.png`);
      assert.equal(image?.alt, 'Logo');
    },
  },
  {
    name: 'malformed HTML is shown as far as it can be understood',
    async run(subject) {
      await using tools = open(subject);
      assert.equal((await tools.callJson('browser_navigate', { url: `${subject.origin}/broken` }))['success'], true);
      await tools.callJson('browser_navigate', { url: `${subject.origin}/broken2` });
      const snapshot = await snapshotOf(tools);
      assert.match(snapshot, /para/);
      const clicked = await tools.callJson('browser_click', { ref: refIn(snapshot, /"Home"/) });
      assert.equal(clicked['title'], 'Shop', JSON.stringify(clicked));
    },
  },
  {
    name: 'without a page the tools say what to do, and close says that none was open',
    async run(subject) {
      await using tools = open(subject);
      const calls = ['browser_snapshot', 'browser_back', 'browser_get_images', 'browser_console'];
      for (const call of calls) {
        const result = await tools.callJson(call, {});
        assert.equal(result['error_kind'], 'not_found');
        assert.match(String(result['error']), /browser_navigate/);
      }
      assert.equal((await tools.callJson('browser_close', {}))['closed'], false);
      await tools.callJson('browser_navigate', { url: `${subject.origin}/` });
      assert.deepEqual(await tools.callJson('browser_close', {}), { success: true, closed: true });
      assert.equal((await tools.callJson('browser_snapshot', {}))['error_kind'], 'not_found');
    },
  },
  {
    name: 'two rollouts do not share pages; who shares a state does',
    async run(subject) {
      await using first = open(subject);
      await using second = open(subject);
      await first.callJson('browser_navigate', { url: `${subject.origin}/` });
      await second.callJson('browser_navigate', { url: `${subject.origin}/things/1` });
      assert.match(await snapshotOf(first), /heading "Shop"/);
      assert.match(await snapshotOf(second), /First thing/);
    },
  },
  {
    name: 'a call whose signal is aborted already rejects with its reason and changes nothing',
    async run(subject) {
      await using tools = open(subject);
      await tools.callJson('browser_navigate', { url: `${subject.origin}/` });
      const reason = new Error('stop');
      const isReason = (error: unknown): boolean => error === reason;
      const aborted = AbortSignal.abort(reason);
      await assert.rejects(tools.call('browser_navigate', { url: `${subject.origin}/things/1` }, aborted), isReason);
      await assert.rejects(tools.call('browser_snapshot', {}, aborted), isReason);
      assert.match(await snapshotOf(tools), /heading "Shop"/);
    },
  },
];
