import assert from 'node:assert/strict';
import type { SessionMessage, SessionStore } from '../sessions/session-store.ts';
import type { StoreContractCase } from './contract-case.ts';
import { hostileTexts, isInvalidArgument, keptText, rejectsWith, wrongKeys } from './hostile-texts.ts';

/** What every {@link SessionStore} promises. */
export const sessionStoreContract: readonly StoreContractCase<SessionStore>[] = [
  {
    name: 'begins empty',
    async run(open) {
      await using store = await open();
      assert.deepEqual(await store.search('a', { text: 'x', limit: 5 }), []);
      assert.deepEqual(await store.latest('a', { limit: 5 }), []);
      await store.append('a', 's', []);
      assert.deepEqual(await store.latest('a', { limit: 5 }), []);
    },
  },
  {
    name: 'tells of the latest sessions',
    async run(open) {
      await using store = await open();
      await store.append('a', 'old', [said('assistant', 'hello', 5), said('user', 'first\n question', 1)]);
      await store.append('a', 'new', [said('user', 'second', 10)]);
      await store.append('a', 'old', [said('user', 'third', 7)]);
      await store.append('b', 'other', [said('user', 'fourth', 20)]);
      const old = { sessionId: 'old', startedAt: 1, lastAt: 7, messageCount: 3, preview: 'first question' };
      const recent = { sessionId: 'new', startedAt: 10, lastAt: 10, messageCount: 1, preview: 'second' };
      assert.deepEqual(await store.latest('a', { limit: 5 }), [recent, old]);
      assert.deepEqual(await store.latest('a', { limit: 1 }), [recent]);
      assert.deepEqual(await store.latest('a', { limit: 5, excludedSession: 'new' }), [old]);
    },
  },
  {
    name: 'finds the newest fitting message of each session, newest first',
    async run(open) {
      await using store = await open();
      await store.append('a', 's1', [said('user', 'the red house', 1), said('assistant', 'a red door', 3)]);
      await store.append('a', 's2', [said('user', 'Red paint', 2), said('tool', 'red', 2)]);
      await store.append('a', 's3', [said('user', 'blue', 9)]);
      const hits = await store.search('a', { text: 'RED', limit: 5 });
      assert.deepEqual(hits, [
        { sessionId: 's1', at: 3, role: 'assistant', snippet: 'a red door' },
        { sessionId: 's2', at: 2, role: 'tool', snippet: 'red' },
      ]);
      assert.deepEqual(await idsOf(store, { text: 'red', roles: ['user'] }), ['s2', 's1']);
      assert.deepEqual(await idsOf(store, { text: 'red', roles: [] }), []);
      assert.deepEqual(await idsOf(store, { text: 'red', excludedSession: 's1' }), ['s2']);
      assert.deepEqual(await idsOf(store, { text: 'red', limit: 1 }), ['s1']);
      assert.deepEqual(await idsOf(store, { text: 'red house' }), ['s1']);
    },
  },
  {
    name: 'finds words by their beginning, whatever the case and accents, and scripts without spaces anywhere',
    async run(open) {
      await using store = await open();
      await store.append('a', 's', [
        said('user', 'Installing caf\u00e9-server 3.14 on Gr\u00f6\u00dfe \u6211\u559c\u6b22\u6570\u636e\u5e93', 1),
      ]);
      for (const text of [
        'install',
        'INSTALLING',
        'cafe',
        'cafe\u0301 serv',
        '3.14',
        'gro',
        '\u6570\u636e',
        '\u559c\u6b22 install',
      ]) {
        assert.deepEqual(await idsOf(store, { text }), ['s'], text);
      }
      for (const text of ['stalling', 'erver', 'install nothing', '\u6570\u5e93']) {
        assert.deepEqual(await idsOf(store, { text }), [], text);
      }
    },
  },
  {
    name: 'never reads a query as a language',
    async run(open) {
      await using store = await open();
      await store.append('a', 's', [said('user', 'alpha beta content near', 1)]);
      for (const text of [
        '',
        ' ',
        '"',
        '""',
        '*',
        '()',
        '^',
        '-',
        ':',
        "'",
        '\u0000',
        '+ - * / ^ % \\',
        '\ud83d',
        '\ud83d\ude42',
      ]) {
        assert.deepEqual(await idsOf(store, { text }), [], text);
      }
      for (const text of [
        'alpha*',
        '"alpha',
        '^alpha',
        '(alpha',
        '-alpha',
        'content:alpha',
        "alpha'; --",
        '{alpha}',
        'NEAR(alpha',
      ]) {
        assert.deepEqual(await idsOf(store, { text }), ['s'], text);
      }
      for (const text of ['alpha OR gamma', 'alpha NOT beta', 'alpha AND beta', 'gamma"* OR "alpha']) {
        assert.deepEqual(await idsOf(store, { text }), [], text);
      }
    },
  },
  {
    name: 'shows a piece of a long message around what was found',
    async run(open) {
      await using store = await open();
      const content = `${'\ud83d\ude42'.repeat(500)} needle ${'\ud83d\ude42'.repeat(500)}`;
      await store.append('a', 's', [said('user', content, 1)]);
      const [hit] = await store.search('a', { text: 'needle', limit: 1 });
      assert.match(hit?.snippet ?? '', /^\.\.\.\u{1f642}+ needle \u{1f642}+\.\.\.$/u);
      assert.ok((hit?.snippet.length ?? 0) <= 320);
    },
  },
  {
    name: 'keeps tenants apart though their sessions have the same ids',
    async run(open) {
      await using store = await open();
      await store.append('a', 's', [said('user', 'secret of a', 1)]);
      await store.append('b', 's', [said('user', 'secret of b', 2)]);
      assert.deepEqual(
        (await store.search('a', { text: 'secret', limit: 5 })).map(({ snippet }) => snippet),
        ['secret of a'],
      );
      assert.deepEqual(
        (await store.search('b', { text: 'secret', limit: 5 })).map(({ snippet }) => snippet),
        ['secret of b'],
      );
      assert.deepEqual(await store.search('%', { text: 'secret', limit: 5 }), []);
      assert.equal((await store.latest('a', { limit: 5 }))[0]?.messageCount, 1);
    },
  },
  {
    name: 'keeps any text, and of a huge one the beginning',
    async run(open) {
      await using store = await open();
      await store.append(
        'a',
        's',
        hostileTexts.map((text, index) => said('user', `marker${index}x ${text}`, index)),
      );
      for (const [index, text] of hostileTexts.entries()) {
        const [hit] = await store.search('a', { text: `marker${index}x`, limit: 1 });
        const begins = `marker${index}x ${keptText(text)}`.slice(0, 100).replace(/\s+/g, ' ').trim();
        assert.ok(hit?.snippet.startsWith(begins.slice(0, 80)), `${index}: ${hit?.snippet}`);
      }
      await store.append('a', 'huge', [said('user', `early ${'y '.repeat(600_000)} late`, 99)]);
      assert.deepEqual(await idsOf(store, { text: 'early' }), ['huge']);
      assert.deepEqual(await idsOf(store, { text: 'late' }), []);
    },
  },
  {
    name: 'adds all messages or none',
    async run(open) {
      await using store = await open();
      const adding = store.append('a', 's', [said('user', 'one', 1), said('user', 'two', Number.NaN)]);
      await rejectsWith(adding, isInvalidArgument);
      assert.deepEqual(await store.latest('a', { limit: 5 }), []);
    },
  },
  {
    name: 'refuses names that could be taken for others, and limits that are none',
    async run(open) {
      await using store = await open();
      for (const key of wrongKeys) {
        await rejectsWith(store.append(key, 's', [said('user', 'x', 1)]), isInvalidArgument);
        await rejectsWith(store.append('a', key, [said('user', 'x', 1)]), isInvalidArgument);
        await rejectsWith(store.search(key, { text: 'x', limit: 1 }), isInvalidArgument);
        await rejectsWith(store.latest(key, { limit: 1 }), isInvalidArgument);
      }
      for (const limit of [0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
        await rejectsWith(store.search('a', { text: 'x', limit }), isInvalidArgument);
        await rejectsWith(store.latest('a', { limit }), isInvalidArgument);
      }
    },
  },
  {
    name: 'rejects with the reason of an abort and stays usable',
    async run(open) {
      await using store = await open();
      const reason = new Error('stop');
      const signal = AbortSignal.abort(reason);
      const isReason = (error: unknown): boolean => error === reason;
      await rejectsWith(store.append('a', 's', [said('user', 'x', 1)], { signal }), isReason);
      await rejectsWith(store.search('a', { text: 'x', limit: 1 }, { signal }), isReason);
      await rejectsWith(store.latest('a', { limit: 1, signal }), isReason);
      assert.deepEqual(await store.latest('a', { limit: 1 }), []);
    },
  },
];

function said(role: SessionMessage['role'], content: string, at: number): SessionMessage {
  return { role, content, at };
}

async function idsOf(
  store: SessionStore,
  query: Partial<Parameters<SessionStore['search']>[1]> & { readonly text: string },
): Promise<readonly string[]> {
  const hits = await store.search('a', { limit: 10, ...query });
  return hits.map(({ sessionId }) => sessionId);
}
