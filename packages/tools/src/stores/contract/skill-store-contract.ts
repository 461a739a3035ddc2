import assert from 'node:assert/strict';
import type { SkillStore, StoredSkill } from '../skills/skill-store.ts';
import type { StoreContractCase } from './contract-case.ts';
import { hostileTexts, isInvalidArgument, keptText, rejectsWith, wrongKeys } from './hostile-texts.ts';

/** What every {@link SkillStore} promises. */
export const skillStoreContract: readonly StoreContractCase<SkillStore>[] = [
  {
    name: 'begins empty',
    async run(open) {
      await using store = await open();
      assert.deepEqual(await store.list('a'), []);
      assert.equal(await store.read('a', 'x'), null);
      assert.equal(await store.update('a', 'x', (skill) => ({ outcome: skill })), null);
    },
  },
  {
    name: 'keeps skills whole, in the order of their names, apart by tenant',
    async run(open) {
      await using store = await open();
      await put(store, 'a', 'two', skillOf({ 'SKILL.md': '2', 'scripts/x': 'y' }, 'tools'));
      await put(store, 'a', 'one', skillOf({ 'SKILL.md': '1' }));
      await put(store, 'b', 'one', skillOf({ 'SKILL.md': 'b' }));
      assert.deepEqual(await store.list('a'), [
        { name: 'one', category: null, description: 'about 1' },
        { name: 'two', category: 'tools', description: 'about 2' },
      ]);
      assert.deepEqual(await store.read('a', 'two'), skillOf({ 'SKILL.md': '2', 'scripts/x': 'y' }, 'tools'));
      assert.deepEqual(await store.read('b', 'one'), skillOf({ 'SKILL.md': 'b' }));
      assert.equal(await store.read('b', 'two'), null);
    },
  },
  {
    name: 'replaces all files of a skill, and removes it',
    async run(open) {
      await using store = await open();
      await put(store, 'a', 'one', skillOf({ 'SKILL.md': '1', 'assets/a': 'a' }));
      await put(store, 'b', 'one', skillOf({ 'SKILL.md': 'b' }));
      await put(store, 'a', 'one', skillOf({ 'SKILL.md': '3' }));
      assert.deepEqual(await store.read('a', 'one'), skillOf({ 'SKILL.md': '3' }));
      assert.equal(await store.update('a', 'one', () => ({ skill: null, outcome: 'gone' })), 'gone');
      assert.equal(await store.read('a', 'one'), null);
      assert.deepEqual(await store.list('a'), []);
      assert.notEqual(await store.read('b', 'one'), null);
    },
  },
  {
    name: 'changes nothing where a change says so or throws',
    async run(open) {
      await using store = await open();
      await put(store, 'a', 'one', skillOf({ 'SKILL.md': '1' }));
      assert.equal(await store.update('a', 'one', (skill) => ({ outcome: skill?.files.get('SKILL.md') })), '1');
      const fault = new Error('no');
      const failing = store.update('a', 'one', () => {
        throw fault;
      });
      await rejectsWith(failing, (error) => error === fault);
      assert.deepEqual(await store.read('a', 'one'), skillOf({ 'SKILL.md': '1' }));
    },
  },
  {
    name: 'keeps any text, under any name and path',
    async run(open) {
      await using store = await open();
      const names = hostileTexts.filter((text) => keptText(text) === text && text.length < 1_000);
      for (const text of hostileTexts) await put(store, 'a', 'text', skillOf({ 'SKILL.md': text }));
      for (const name of names) await put(store, name === '' ? 'none' : name, name, skillOf({ [name]: name }));
      for (const name of names) {
        assert.deepEqual(await store.read(name === '' ? 'none' : name, name), skillOf({ [name]: name }));
      }
      await put(
        store,
        'a',
        'text',
        skillOf(Object.fromEntries(hostileTexts.map((text, index) => [`f${index}`, text]))),
      );
      const read = await store.read('a', 'text');
      for (const [index, text] of hostileTexts.entries()) assert.equal(read?.files.get(`f${index}`), keptText(text));
    },
  },
  {
    name: 'refuses tenants that could be taken for others, and hears an abort',
    async run(open) {
      await using store = await open();
      for (const tenant of wrongKeys) {
        await rejectsWith(store.list(tenant), isInvalidArgument);
        await rejectsWith(store.read(tenant, 'x'), isInvalidArgument);
        await rejectsWith(put(store, tenant, 'x', skillOf({})), isInvalidArgument);
      }
      const reason = new Error('stop');
      const signal = AbortSignal.abort(reason);
      await rejectsWith(store.list('a', { signal }), (error) => error === reason);
      await rejectsWith(store.read('a', 'x', { signal }), (error) => error === reason);
      const change = (): { skill: StoredSkill; outcome: null } => ({ skill: skillOf({}), outcome: null });
      await rejectsWith(store.update('a', 'x', change, { signal }), (error) => error === reason);
      assert.equal(await store.read('a', 'x'), null);
    },
  },
];

function skillOf(files: Readonly<Record<string, string>>, category: string | null = null): StoredSkill {
  const entries = Object.entries(files);
  return { category, description: `about ${files['SKILL.md']?.slice(0, 100) ?? 'nothing'}`, files: new Map(entries) };
}

async function put(store: SkillStore, tenant: string, name: string, skill: StoredSkill): Promise<void> {
  await store.update(tenant, name, () => ({ skill, outcome: null }));
}
