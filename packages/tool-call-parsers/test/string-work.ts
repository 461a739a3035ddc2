type Native = (...values: never[]) => unknown;

/** What a call costs, from its subject, its parameters and its result. */
type Cost = (text: string, values: readonly unknown[], result: unknown) => number;

const searchCost: Cost = (text, values, result) => {
  const from = Number(values[1] ?? 0);
  return Number(result) < 0 ? text.length - from : Number(result) - from + 1;
};
const partCost: Cost = (_text, values) => String(values[0]).length;
const wholeCost: Cost = (text) => text.length;
const resultCost: Cost = (_text, _values, result) => String(result).length;

const costs: Readonly<Record<string, Cost>> = {
  charCodeAt: () => 1,
  charAt: () => 1,
  codePointAt: () => 1,
  startsWith: partCost,
  endsWith: partCost,
  indexOf: searchCost,
  lastIndexOf: wholeCost,
  includes: wholeCost,
  replace: wholeCost,
  replaceAll: wholeCost,
  split: wholeCost,
  trim: wholeCost,
  trimStart: wholeCost,
  trimEnd: wholeCost,
  slice: resultCost,
  substring: resultCost,
  repeat: resultCost,
};

/**
 * Runs `action` and counts the work that it leaves to strings: a character for each that is looked at, the distance for
 * a search, the length for what copies. So that growth can be told without a clock.
 */
export function countStringWork(action: () => void): number {
  let characters = 0;
  const undo: (() => void)[] = [];
  const replaceMethod = (target: object, name: string, make: (original: Native) => Native): void => {
    const original = Reflect.get(target, name) as Native;
    const define = (value: Native): void => {
      Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: false });
    };
    undo.push(() => define(original));
    define(make(original));
  };
  try {
    for (const [method, cost] of Object.entries(costs)) {
      replaceMethod(String.prototype, method, (original) => {
        return function counted(this: string, ...values: never[]) {
          const result = original.apply(this, values);
          characters += cost(this, values, result);
          return result;
        };
      });
    }
    replaceMethod(Array.prototype, 'join', (original) => {
      return function counted(this: unknown[], ...values: never[]) {
        const result = original.apply(this, values);
        characters += String(result).length;
        return result;
      };
    });
    // What else takes a regular expression (test, match, replace, split) calls this.
    replaceMethod(RegExp.prototype, 'exec', (original) => {
      return function counted(this: RegExp, ...values: never[]) {
        const keepsPlace = this.global || this.sticky;
        const from = keepsPlace ? this.lastIndex : 0;
        const result = original.apply(this, values) as RegExpExecArray | null;
        // A sticky expression that finds nothing has looked at one place.
        if (result !== null) characters += result.index + result[0].length - from;
        else characters += this.sticky ? 1 : Math.max(String(values[0]).length - from, 0);
        return result;
      };
    });
    replaceMethod(JSON, 'parse', (original) => {
      return function counted(...values: never[]) {
        characters += String(values[0]).length;
        return original(...values);
      };
    });
    action();
  } finally {
    for (const restore of undo) restore();
  }
  return characters;
}
