import { checkStoreKey } from '../store-key.ts';
import { storedText } from '../stored-text.ts';
import type { SkillStore, StoredSkill } from './skill-store.ts';

/** A {@link SkillStore} that ends with the process: for tests, and for rollouts that must know of no other. */
export function createTransientSkillStore(): SkillStore {
  const tenants = new Map<string, Map<string, StoredSkill>>();
  return {
    async list(tenant, { signal } = {}) {
      checkStoreKey('tenant', tenant);
      signal?.throwIfAborted();
      return [...(tenants.get(tenant) ?? [])]
        .map(([name, { category, description }]) => ({ name, category, description }))
        .sort((left, right) => (left.name < right.name ? -1 : 1));
    },
    async read(tenant, name, { signal } = {}) {
      checkStoreKey('tenant', tenant);
      signal?.throwIfAborted();
      return tenants.get(tenant)?.get(name) ?? null;
    },
    async update(tenant, name, change, { signal } = {}) {
      checkStoreKey('tenant', tenant);
      signal?.throwIfAborted();
      const skills = tenants.get(tenant) ?? new Map<string, StoredSkill>();
      const { outcome, skill } = change(skills.get(name) ?? null);
      if (skill === null) skills.delete(name);
      else if (skill !== undefined) skills.set(name, copyOf(skill));
      tenants.set(tenant, skills);
      return outcome;
    },
    async [Symbol.asyncDispose]() {
      tenants.clear();
    },
  };
}

function copyOf({ category, description, files }: StoredSkill): StoredSkill {
  const entries = [...files].sort(([left], [right]) => (left < right ? -1 : 1));
  return {
    category,
    description: storedText(description),
    files: new Map(entries.map(([path, content]) => [path, storedText(content)])),
  };
}
