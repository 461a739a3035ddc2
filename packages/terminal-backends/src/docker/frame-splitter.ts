/** Each frame is headed by the number of its stream, three zeros, and its length. */
const headerBytes = 8;
const lengthOffset = 4;
const stderrNumber = 2;

/**
 * Makes a function that is fed the multiplexed stream of a Docker exec, cut anywhere, and hands over each piece of a
 * frame as it comes. Nothing is copied or kept but a header that is not yet whole.
 */
export function createFrameSplitter(onPiece: (isStderr: boolean, piece: Buffer) => void): (chunk: Buffer) => void {
  const header = Buffer.alloc(headerBytes);
  let headerLength = 0;
  let remaining = 0;

  return (chunk) => {
    let at = 0;
    while (at < chunk.length) {
      if (remaining === 0) {
        const taken = chunk.copy(header, headerLength, at, at + headerBytes - headerLength);
        at += taken;
        headerLength += taken;
        if (headerLength < headerBytes) return;
        headerLength = 0;
        remaining = header.readUInt32BE(lengthOffset);
        continue;
      }
      const piece = chunk.subarray(at, at + remaining);
      at += piece.length;
      remaining -= piece.length;
      onPiece(header[0] === stderrNumber, piece);
    }
  };
}
