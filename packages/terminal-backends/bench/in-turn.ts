/** What is measured: an action, and what puts everything back as it was before, which is not measured. */
export interface Contender {
  readonly act: () => Promise<unknown>;
  readonly reset?: () => Promise<unknown>;
}

/** Rounds before the first that counts. */
const warmUpRounds = 4;

/**
 * Milliseconds of each round of some contenders, measured in turn, so that what else the machine does falls on all alike;
 * each goes first in its turn.
 */
export async function inTurn<Name extends string>(
  rounds: number,
  contenders: Readonly<Record<Name, Contender>>,
  warmUps: number = warmUpRounds,
): Promise<Readonly<Record<Name, readonly number[]>>> {
  const names = Object.keys(contenders) as Name[];
  const times = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, number[]>;
  for (let round = -warmUps; round < rounds; round += 1) {
    const first = (round + warmUps) % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      const startedAt = performance.now();
      await contenders[name].act();
      const durationMs = performance.now() - startedAt;
      await contenders[name].reset?.();
      if (round >= 0) times[name].push(durationMs);
    }
  }
  return times;
}
