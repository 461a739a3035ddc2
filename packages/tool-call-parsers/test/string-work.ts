type Native = (...values: never[]) => unknown;

/**
 * Runs `action` and counts the work that it leaves to strings: a character for each `charCodeAt`, the distance for a
 * search, the length for what copies. So that growth can be told without a clock.
 */
export function countStringWork(action: () => void): number {
  let characters = 0;
  const costs: Readonly<Record<string, (text: string, values: readonly unknown[], result: unknown) => number>> = {
    charCodeAt: () => 1,
    charAt: () => 1,
    startsWith: (_text, values) => String(values[0]).length,
    indexOf: (text, values, result) => {
      const from = Number(values[1] ?? 0);
      return Number(result) < 0 ? text.length - from : Number(result) - from + 1;
    },
    slice: (_text, _values, result) => String(result).length,
  };
  const originals = new Map(
    Object.keys(costs).map((method) => [method, Reflect.get(String.prototype, method) as Native]),
  );
  const join = Array.prototype.join;
  try {
    for (const [method, original] of originals) {
      define(String.prototype, method, function counted(this: string, ...values: never[]): unknown {
        const result = original.apply(this, values);
        characters += costs[method]?.(this, values, result) ?? 0;
        return result;
      });
    }
    define(Array.prototype, 'join', function counted(this: unknown[], separator?: string): string {
      const result = join.call(this, separator);
      characters += result.length;
      return result;
    });
    action();
  } finally {
    for (const [method, original] of originals) define(String.prototype, method, original);
    define(Array.prototype, 'join', join);
  }
  return characters;
}

function define(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: false });
}
