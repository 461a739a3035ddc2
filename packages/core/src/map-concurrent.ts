/** Options of {@link mapConcurrent}. */
export interface MapConcurrentOptions {
  readonly signal?: AbortSignal | undefined;
}

/**
 * Applies `action` to every item, at most `limit` at a time, and returns the results in the order of the items.
 * The first rejection or abort stops new starts; the call rejects once everything that was started has settled.
 */
export async function mapConcurrent<Item, Result>(
  items: Iterable<Item>,
  limit: number,
  action: (item: Item, index: number) => Promise<Result>,
  options: MapConcurrentOptions = {},
): Promise<Result[]> {
  const { signal } = options;
  signal?.throwIfAborted();
  const results: Result[] = [];
  const iterator = items[Symbol.iterator]();
  let nextIndex = 0;
  let failure: { readonly error: unknown } | undefined;

  async function work(): Promise<void> {
    while (failure === undefined) {
      if (signal?.aborted) {
        failure = { error: signal.reason };
        return;
      }
      const next = iterator.next();
      if (next.done) return;
      const index = nextIndex;
      nextIndex += 1;
      try {
        results[index] = await action(next.value, index);
      } catch (error) {
        failure ??= { error };
      }
    }
  }

  const workers: Promise<void>[] = [];
  const count = Array.isArray(items) ? Math.min(limit, items.length) : limit;
  for (let worker = 0; worker < count; worker += 1) workers.push(work());
  await Promise.all(workers);
  if (failure !== undefined) {
    iterator.return?.();
    throw failure.error;
  }
  return results;
}
