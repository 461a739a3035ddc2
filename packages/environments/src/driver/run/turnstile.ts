/** Lets rollouts that become ready at the same moment go on one after another, so that the event loop stays responsive. */
export interface Turnstile {
  /** Resolves when it is the caller's turn; at once where nobody else is in a hurry. */
  pass(): Promise<void>;
}

/** So many may go on within one round of the event loop: each does a fraction of a millisecond of work. */
const passesPerRound = 4;

/** Creates a turnstile. It keeps nothing alive but those who wait. */
export function createTurnstile(): Turnstile {
  const waiting: (() => void)[] = [];
  let passed = 0;
  let isScheduled = false;
  let first = 0;

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(beginRound);
  }

  function beginRound(): void {
    isScheduled = false;
    passed = 0;
    while (first < waiting.length && passed < passesPerRound) {
      waiting[first]?.();
      first += 1;
      passed += 1;
    }
    // Taken away all at once, since taking from the front of a long array is slow.
    if (first === waiting.length) {
      waiting.length = 0;
      first = 0;
    }
    if (passed > 0) schedule();
  }

  return {
    pass() {
      if (passed < passesPerRound && first === waiting.length) {
        passed += 1;
        schedule();
        return Promise.resolve();
      }
      schedule();
      return new Promise((resolve) => {
        waiting.push(resolve);
      });
    },
  };
}
