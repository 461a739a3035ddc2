/** Names a piece of state and says how it begins. Compare by identity. */
export interface ToolStateKey<Value> {
  readonly name: string;
  readonly create: () => Value;
}

/** What tools remember within one rollout: one value per key, created on first use. */
export interface ToolState {
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
  };
}
