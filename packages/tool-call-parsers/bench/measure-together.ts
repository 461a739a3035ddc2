/** How long the actions of one group are measured. */
export interface MeasureOptions {
  /** Time for all rounds, without warming up. @default 250 */
  readonly budgetMs?: number | undefined;
  /** Rounds that are made whatever they take. @default 5 */
  readonly minRounds?: number | undefined;
}

/** A round runs an action as often as fills this time, so that the clock's grain does not count. */
const sampleMs = 1;
const warmUpMs = 25;

/**
 * Milliseconds of one run of each action: the fastest of several rounds, since all that disturbs a run only adds to it.
 * The actions take turns within a round, so that a busy machine disturbs all of them alike and their ratios say
 * something.
 */
export function measureTogether<Name extends string>(
  actions: Readonly<Record<Name, () => unknown>>,
  { budgetMs = 250, minRounds = 5 }: MeasureOptions = {},
): Readonly<Record<Name, number>> {
  // Once and not between rounds: what a full collection frees takes code along that was optimised for it.
  globalThis.gc?.();
  const entries = Object.entries(actions) as [Name, () => unknown][];
  const samples = entries.map(([name, action]) => {
    return { name, action, repeats: findRepeats(action), fastestMs: Number.POSITIVE_INFINITY };
  });
  const startedAt = processorMs();
  for (let round = 0; round < minRounds || processorMs() - startedAt < budgetMs; round += 1) {
    for (const sample of samples) {
      sample.fastestMs = Math.min(sample.fastestMs, timeRuns(sample.action, sample.repeats) / sample.repeats);
    }
  }
  return Object.fromEntries(samples.map(({ name, fastestMs }) => [name, fastestMs])) as Record<Name, number>;
}

/**
 * Milliseconds that the processor has worked for this process. Other programs on the machine do not change it, while
 * they may double what a clock on the wall says. The process has to run with `--single-threaded-gc`, so that nothing
 * works beside what is measured.
 */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
}

/** How many runs fill a sample. Finding out warms up as well. */
function findRepeats(action: () => unknown): number {
  const warmUntil = processorMs() + warmUpMs;
  let lastMs: number;
  do lastMs = timeRuns(action, 1);
  while (processorMs() < warmUntil);
  let repeats = 1;
  while (lastMs < sampleMs) {
    repeats *= 2;
    lastMs = timeRuns(action, repeats);
  }
  return repeats;
}

function timeRuns(action: () => unknown, repeats: number): number {
  const startedAt = processorMs();
  for (let run = 0; run < repeats; run += 1) action();
  return processorMs() - startedAt;
}
