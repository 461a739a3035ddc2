import type { StoreCallOptions } from '../store-options.ts';

/** What notes are about: the work, or the user. */
export type MemoryTarget = 'memory' | 'user';

/** What a change makes of the entries. */
export interface MemoryChange<Outcome> {
  /** All entries from now on; `undefined` changes nothing. */
  readonly entries?: readonly string[] | undefined;
  readonly outcome: Outcome;
}

/**
 * Keeps short notes, a list per tenant and target, from one session to the next. What one tenant wrote no other sees.
 * Text that is no Unicode, and NUL, come back as U+FFFD. Tenants that are no plain text are refused with ConfigError
 * `config.invalid`; a store that fails rejects with StateError.
 */
export interface MemoryStore extends AsyncDisposable {
  /** The entries in their order. */
  read(tenant: string, target: MemoryTarget, options?: StoreCallOptions): Promise<readonly string[]>;
  /**
   * Changes the entries at once: no other change comes between what `change` was given and what it gives, in any process.
   * `change` may be called more than once and must depend on nothing but the entries; what it throws passes through, and
   * nothing is changed then.
   */
  update<Outcome>(
    tenant: string,
    target: MemoryTarget,
    change: (entries: readonly string[]) => MemoryChange<Outcome>,
    options?: StoreCallOptions,
  ): Promise<Outcome>;
}
