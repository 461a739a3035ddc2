/** Uniform numbers in [0, 1), as an argument. */
export type RandomSource = () => number;

/**
 * A seeded source (sfc32, seeded from the text by FNV-1a): the same seed gives the same numbers on every machine.
 * Not for secrets.
 */
export function seededRandom(seed: string): RandomSource {
  let hash = 0x811c9dc5;
  const next = (salt: number): number => {
    hash = Math.imul(hash ^ salt, 0x01000193);
    for (let index = 0; index < seed.length; index += 1) hash = Math.imul(hash ^ seed.charCodeAt(index), 0x01000193);
    return hash >>> 0;
  };
  let a = next(1);
  let b = next(2);
  let c = next(3);
  let counter = 1;
  const step = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return (sum >>> 0) / 4_294_967_296;
  };
  for (let warmUp = 0; warmUp < 12; warmUp += 1) step();
  return step;
}
