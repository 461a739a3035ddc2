/** Cuts a text in pieces of so many UTF-16 units. */
export function cutEvery(text: string, length: number): readonly string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; from += length) pieces.push(text.slice(from, from + length));
  return pieces;
}

/** Every way to cut a text in two. */
export function* twoWaySplits(text: string): Generator<readonly string[]> {
  for (let at = 1; at < text.length; at += 1) yield [text.slice(0, at), text.slice(at)];
}

/** Cuts a text in pieces of random lengths, from one unit to about a dozen. */
export function cutRandomly(text: string, random: () => number): readonly string[] {
  const pieces: string[] = [];
  let from = 0;
  while (from < text.length) {
    const to = from + 1 + Math.floor(random() ** 2 * 12);
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}

/** Whole, by single units, by 2, 3, 5, 7, 16, 200 random ones, every two-way split: the chunkings of invariant S2. */
export function* chunkings(text: string, random: () => number): Generator<readonly string[]> {
  yield [text];
  for (const length of [1, 2, 3, 5, 7, 16]) yield cutEvery(text, length);
  for (let round = 0; round < 200; round += 1) yield cutRandomly(text, random);
  yield* twoWaySplits(text);
}

/** A sequence of numbers from 0 to 1 that one seed fixes (mulberry32). */
export function seededNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
