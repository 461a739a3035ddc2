import { createHash } from 'node:crypto';

/** The number for one toolset of one row, uniform in [0, 1). The same arguments give the same number. */
export type ToolsetDraw = (toolset: string) => number;

/**
 * Draws that depend on the seed, the row and the toolset alone: not on the order of rows, on workers or on how often a run
 * was resumed. The number is the first 53 bits of SHA-256 of `seed NUL rowKey NUL toolset`, divided by 2^53.
 */
export function seededDraw(seed: string, rowKey: string): ToolsetDraw {
  return (toolset) => {
    const hash = createHash('sha256').update(`${seed}\0${rowKey}\0${toolset}`).digest();
    return Number(hash.readBigUInt64BE(0) >> 11n) / 2 ** 53;
  };
}
