import type { DisputedVector } from '@talaria/tool-call-parsers/contract';

/** Vectors whose expectation a parser does not keep, with the reason. Expectations are never edited. */
export const disputedVectors: readonly (DisputedVector & { readonly parser: string })[] = [];
