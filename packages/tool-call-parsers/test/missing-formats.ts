/**
 * Vector files that no registered parser reads yet. Exact: a name that is registered must leave the list, which
 * `registry-complete.test.ts` checks; tests of these formats are skipped.
 */
export const missingFormats: readonly string[] = [];
