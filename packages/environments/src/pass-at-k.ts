/**
 * The chance that at least one of `k` answers is right, estimated without bias from `samples` answers of which `correct`
 * were right: 1 where fewer than `k` were wrong.
 */
export function passAtK(samples: number, correct: number, k: number): number {
  const wrong = samples - correct;
  if (wrong < k) return 1;
  let chanceOfNone = 1;
  for (let index = wrong + 1; index <= samples; index += 1) chanceOfNone *= 1 - k / index;
  return 1 - chanceOfNone;
}
