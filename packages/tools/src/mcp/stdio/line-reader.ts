/** Takes bytes as they come. Gives false, and takes no more, once a line is longer than allowed. */
export type LineReader = (chunk: Buffer) => boolean;

/** Creates a reader that hands on each line, decoded as UTF-8 and without its end. */
export function createLineReader(maxBytes: number, take: (line: string) => void): LineReader {
  let parts: Buffer[] = [];
  let size = 0;
  let isBroken = false;
  return (chunk) => {
    let rest = chunk;
    while (!isBroken) {
      const at = rest.indexOf(10);
      const part = at < 0 ? rest : rest.subarray(0, at);
      size += part.length;
      if (size > maxBytes) {
        isBroken = true;
        parts = [];
        break;
      }
      parts.push(part);
      if (at < 0) break;
      const line = Buffer.concat(parts).toString('utf8').replace(/\r$/, '');
      parts = [];
      size = 0;
      rest = rest.subarray(at + 1);
      take(line);
    }
    return !isBroken;
  };
}
