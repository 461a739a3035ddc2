import type { ExtractedPage, SearchHit, WebProvider } from '../providers/web-provider.ts';
import { isWebError, WebError } from '../web-error.ts';
import type { RecordedFailure, ReplayOutcome, ReplayRequest } from './replay-entry.ts';
import type { ReplayStore } from './replay-store.ts';

/**
 * A provider whose answers are recorded, or replayed: then it is not asked, and only its name matters and which methods it
 * has. One that has none stands for whatever was recorded under its name.
 */
export function createReplayProvider(provider: WebProvider, store: ReplayStore): WebProvider {
  const { name } = provider;

  async function answer(asked: ReplayRequest, ask: () => Promise<ReplayOutcome>): Promise<ReplayOutcome> {
    const known = await store.find(asked);
    if (known !== undefined) return known;
    if (store.mode === 'replay') {
      throw new WebError('network', `No answer is recorded for this ${asked.operation}, and the network is not used.`, {
        hint: 'Record the answers again, with the same provider and the same requests.',
      });
    }
    return store.add(asked, await askForGood(ask));
  }

  const isOnlyName = store.mode === 'replay' && provider.search === undefined && provider.extract === undefined;
  const canAnswer = (method: unknown): boolean => isOnlyName || method !== undefined;
  return {
    name,
    ...(canAnswer(provider.search) && {
      async search(query, { limit, signal }): Promise<readonly SearchHit[]> {
        signal?.throwIfAborted();
        const asked = { provider: name, operation: 'search', request: { query, limit } } as const;
        const outcome = await answer(asked, async () => ({
          hits: (await provider.search?.(query, { limit, signal })) ?? [],
        }));
        if ('hits' in outcome) return outcome.hits;
        throw failureOf(outcome);
      },
    }),
    ...(canAnswer(provider.extract) && {
      async extract(url, options = {}): Promise<ExtractedPage> {
        options.signal?.throwIfAborted();
        const asked = { provider: name, operation: 'extract', request: { url } } as const;
        const outcome = await answer(asked, async () => {
          const page = await provider.extract?.(url, options);
          return page === undefined ? { failure: cannotDo(name) } : { page };
        });
        if ('page' in outcome) return outcome.page;
        throw failureOf(outcome);
      },
    }),
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]?.();
    },
  };
}

/** A failure that would happen again is an answer like any other; one that may pass is not recorded. */
async function askForGood(ask: () => Promise<ReplayOutcome>): Promise<ReplayOutcome> {
  try {
    return await ask();
  } catch (error) {
    const isFinal =
      isWebError(error) && !error.retryable && (error.kind === 'not_found' || error.kind === 'not_available');
    if (!isFinal) throw error;
    const { kind, message, status, contentType } = error;
    return { failure: { kind, message, status, contentType } };
  }
}

function cannotDo(name: string): RecordedFailure {
  return { kind: 'not_available', message: `${name} cannot do this.` };
}

function failureOf(outcome: ReplayOutcome): WebError {
  const { kind, message, status, contentType } =
    'failure' in outcome ? outcome.failure : cannotDo('The recorded provider');
  return new WebError(kind, message, { status, contentType });
}
