import assert from 'node:assert/strict';
import type { MemoryStore } from '../memory/memory-store.ts';
import type { StoreContractCase } from './contract-case.ts';
import { hostileTexts, isInvalidArgument, keptText, rejectsWith, wrongKeys } from './hostile-texts.ts';

/** What every {@link MemoryStore} promises. */
export const memoryStoreContract: readonly StoreContractCase<MemoryStore>[] = [
  {
    name: 'begins empty',
    async run(open) {
      await using store = await open();
      assert.deepEqual(await store.read('a', 'memory'), []);
    },
  },
  {
    name: 'keeps entries in their order, apart by tenant and target',
    async run(open) {
      await using store = await open();
      await store.update('a', 'memory', () => ({ entries: ['2', '1', '2'], outcome: null }));
      await store.update('a', 'user', () => ({ entries: ['u'], outcome: null }));
      await store.update('b', 'memory', (entries) => ({ entries: [...entries, 'b'], outcome: null }));
      assert.deepEqual(await store.read('a', 'memory'), ['2', '1', '2']);
      assert.deepEqual(await store.read('a', 'user'), ['u']);
      assert.deepEqual(await store.read('b', 'memory'), ['b']);
      assert.deepEqual(await store.read('a%', 'memory'), []);
    },
  },
  {
    name: 'gives what a change says, and changes nothing where it says so or throws',
    async run(open) {
      await using store = await open();
      await store.update('a', 'memory', () => ({ entries: ['one'], outcome: null }));
      assert.equal(await store.update('a', 'memory', (entries) => ({ outcome: entries.length })), 1);
      const fault = new Error('no');
      const failing = store.update('a', 'memory', () => {
        throw fault;
      });
      await rejectsWith(failing, (error) => error === fault);
      assert.deepEqual(await store.read('a', 'memory'), ['one']);
      await store.update('a', 'memory', () => ({ entries: [], outcome: null }));
      assert.deepEqual(await store.read('a', 'memory'), []);
    },
  },
  {
    name: 'loses none of many changes at the same time',
    async run(open) {
      await using store = await open();
      const numbers = Array.from({ length: 20 }, (_, index) => `${index}`);
      await Promise.all(
        numbers.map((number) =>
          store.update('a', 'memory', (entries) => ({ entries: [...entries, number], outcome: null })),
        ),
      );
      assert.deepEqual([...(await store.read('a', 'memory'))].sort(), [...numbers].sort());
    },
  },
  {
    name: 'keeps any text',
    async run(open) {
      await using store = await open();
      await store.update('a', 'memory', () => ({ entries: hostileTexts, outcome: null }));
      assert.deepEqual(await store.read('a', 'memory'), hostileTexts.map(keptText));
      for (const tenant of hostileTexts.filter((text) => text !== '' && text.length < 256 && keptText(text) === text)) {
        await store.update(tenant, 'user', () => ({ entries: [tenant], outcome: null }));
        assert.deepEqual(await store.read(tenant, 'user'), [tenant]);
      }
    },
  },
  {
    name: 'refuses tenants that could be taken for others',
    async run(open) {
      await using store = await open();
      for (const tenant of wrongKeys) {
        await rejectsWith(store.read(tenant, 'memory'), isInvalidArgument);
        await rejectsWith(
          store.update(tenant, 'memory', () => ({ entries: ['x'], outcome: null })),
          isInvalidArgument,
        );
      }
    },
  },
  {
    name: 'rejects with the reason of an abort and stays usable',
    async run(open) {
      await using store = await open();
      const reason = new Error('stop');
      const signal = AbortSignal.abort(reason);
      await rejectsWith(store.read('a', 'memory', { signal }), (error) => error === reason);
      const change = (): { entries: string[]; outcome: null } => ({ entries: ['x'], outcome: null });
      await rejectsWith(store.update('a', 'memory', change, { signal }), (error) => error === reason);
      assert.deepEqual(await store.read('a', 'memory'), []);
    },
  },
];
