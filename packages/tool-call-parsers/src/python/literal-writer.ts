/** Writes the parts of a Python literal as JSON. */
export interface LiteralWriter {
  write(json: string): void;
  /** A bracket opens that `closer` will close. */
  open(closer: string): void;
  /** A comma follows an item of the innermost bracket. */
  separate(): void;
  close(closer: string, isEmpty: boolean): void;
}

/**
 * A writer that gives everything to `write` at once, but for what stands in parentheses: only a comma tells that they
 * make a tuple, and until then it is not known whether a bracket comes before what they hold.
 */
export function createLiteralWriter(write: (json: string) => void): LiteralWriter {
  /** For each open bracket, the place of its opening in `held`; -1 where it is known what it is. */
  const places: number[] = [];
  let undecided = 0;
  let held: string[] = [];

  function put(json: string): void {
    if (undecided > 0) held.push(json);
    else write(json);
  }

  /** It is known what the innermost parenthesis is written as. */
  function decide(opening: string): void {
    held[places.pop() ?? 0] = opening;
    places.push(-1);
    undecided -= 1;
    if (undecided > 0) return;
    write(held.join(''));
    held = [];
  }

  function isUndecided(): boolean {
    return places.at(-1) !== -1;
  }

  return {
    write: put,
    open(closer) {
      if (closer === ')') {
        undecided += 1;
        places.push(held.length);
        put('');
      } else {
        places.push(-1);
        put(closer === ']' ? '[' : '{');
      }
    },
    separate() {
      if (isUndecided()) decide('[');
    },
    close(closer, isEmpty) {
      const isGroup = isUndecided() && !isEmpty;
      if (isUndecided()) decide(isEmpty ? '[' : '');
      if (!isGroup) put(closer === '}' ? '}' : ']');
      places.pop();
    },
  };
}
