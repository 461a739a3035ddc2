import { createDisposalStack } from '@talaria/core';
import type { WebProvider } from './web-provider.ts';

/**
 * One provider that searches with the first and reads pages with the second; its name is `first+second`. Disposing it
 * disposes of both.
 */
export function combineProviders(searcher: WebProvider, extractor: WebProvider): WebProvider {
  return {
    name: `${searcher.name}+${extractor.name}`,
    ...(searcher.search === undefined ? {} : { search: searcher.search.bind(searcher) }),
    ...(extractor.extract === undefined ? {} : { extract: extractor.extract.bind(extractor) }),
    async [Symbol.asyncDispose]() {
      await using owned = createDisposalStack();
      for (const provider of [searcher, extractor]) {
        owned.defer(async () => {
          await provider[Symbol.asyncDispose]?.();
        });
      }
    },
  };
}
