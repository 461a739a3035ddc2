/** Most texts that are tried. */
const maximumTries = 1000;

/** A text as short as stretches can be taken out of it while it still fails. */
export function shrinkText(text: string, fails: (text: string) => boolean): string {
  let shortest = text;
  let tries = 0;
  for (let length = Math.ceil(text.length / 2); length >= 1; length = length === 1 ? 0 : Math.ceil(length / 2)) {
    let at = 0;
    while (at < shortest.length && tries < maximumTries) {
      const shorter = shortest.slice(0, at) + shortest.slice(at + length);
      tries += 1;
      if (fails(shorter)) shortest = shorter;
      else at += length;
    }
  }
  return shortest;
}
