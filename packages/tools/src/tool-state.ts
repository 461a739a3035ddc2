/** Names a piece of state and says how it begins. Compare by identity. */
export interface ToolStateKey<Value> {
  readonly name: string;
  readonly create: () => Value;
}

/**
 * What tools remember within one rollout: one value per key, created on first use. Disposing it disposes of the values
 * that can be disposed of, such as the table of background processes, and rejects with the first failure once all
 * were tried.
 */
export interface ToolState extends AsyncDisposable {
  get<Value>(key: ToolStateKey<Value>): Value;
}

/** Creates an empty state. */
export function createToolState(): ToolState {
  const values = new Map<ToolStateKey<unknown>, unknown>();
  return {
    get<Value>(key: ToolStateKey<Value>): Value {
      if (!values.has(key)) values.set(key, key.create());
      // The map holds under each key only what that key created.
      return values.get(key) as Value;
    },
    async [Symbol.asyncDispose]() {
      const disposals = [...values.values()].filter(isAsyncDisposable);
      const endings = await Promise.allSettled(disposals.map(async (value) => value[Symbol.asyncDispose]()));
      const failure = endings.find((ending) => ending.status === 'rejected');
      if (failure !== undefined) throw failure.reason;
    },
  };
}

function isAsyncDisposable(value: unknown): value is AsyncDisposable {
  return (
    typeof value === 'object' &&
    value !== null &&
    Symbol.asyncDispose in value &&
    typeof value[Symbol.asyncDispose] === 'function'
  );
}
