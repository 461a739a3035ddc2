import type { StoreCallOptions } from '../store-options.ts';

/** A skill in short. */
export interface SkillSummary {
  readonly name: string;
  /** `null` where it has none. */
  readonly category: string | null;
  readonly description: string;
}

/** A skill with all its files. */
export interface StoredSkill {
  /** `null` where it has none. */
  readonly category: string | null;
  readonly description: string;
  /** Contents by path inside the skill; `SKILL.md` is the skill itself. */
  readonly files: ReadonlyMap<string, string>;
}

/** What a change makes of a skill. */
export interface SkillChange<Outcome> {
  /** The skill from now on; `null` removes it, `undefined` changes nothing. */
  readonly skill?: StoredSkill | null | undefined;
  readonly outcome: Outcome;
}

/**
 * Keeps skills, per tenant: written-down ways to do something, each with a name. What belongs to one tenant no other sees.
 * Text that is no Unicode, and NUL, come back as U+FFFD. Names and paths are text to it: what may be one the tools decide.
 * Tenants that are no plain text are refused with ConfigError `config.invalid`; a store that fails rejects with StateError.
 */
export interface SkillStore extends AsyncDisposable {
  /** All skills in the order of their names. */
  list(tenant: string, options?: StoreCallOptions): Promise<readonly SkillSummary[]>;
  /** `null` where there is none of that name. */
  read(tenant: string, name: string, options?: StoreCallOptions): Promise<StoredSkill | null>;
  /**
   * Changes a skill at once: no other change comes between what `change` was given (`null` where there is none) and what
   * it gives, in any process. `change` may be called more than once and must depend on nothing but the skill; what it
   * throws passes through, and nothing is changed then.
   */
  update<Outcome>(
    tenant: string,
    name: string,
    change: (skill: StoredSkill | null) => SkillChange<Outcome>,
    options?: StoreCallOptions,
  ): Promise<Outcome>;
}
