import { Transform } from 'node:stream';
import { WebError } from '../web-error.ts';

/** Pieces are joined up to this size, in bytes. */
const joinedBytes = 65_536;

/** So many pieces may be as small as they like; of more, the mean size in bytes must not be less than this. */
const smallPieces = 20_000;
const minMeanBytes = 16;

/** What an encoded body may have more than is kept of it when it is decoded, in bytes. */
const encodingRoomBytes = 1_048_576;

/** A stream that joins the pieces that go through it. */
export interface PieceJoiner {
  readonly stream: Transform;
  /** What came so far, in bytes. */
  readonly totalBytes: number;
}

/**
 * Creates a stream that joins the pieces of a body, since each costs an object however small it is: a server can send millions of one
 * byte. Once there are more than `maxBytes`, everything goes on at once.
 *
 * It fails with a WebError where there are absurdly many pieces, or more than `maxBytes` and 1 MiB pass: what is not decoded
 * to anything counts, too.
 */
export function createPieceJoiner(maxBytes: number): PieceJoiner {
  let pieceCount = 0;
  let totalBytes = 0;
  let held = Buffer.alloc(0);
  let heldBytes = 0;

  function takeHeld(): Buffer {
    const taken = held.subarray(0, heldBytes);
    held = Buffer.alloc(0);
    heldBytes = 0;
    return taken;
  }

  const stream = new Transform({
    transform(piece: Uint8Array, _encoding, done) {
      pieceCount += 1;
      totalBytes += piece.length;
      if (totalBytes > maxBytes + encodingRoomBytes) {
        done(new WebError('too_large', 'The answer is too large to be decoded.'));
        return;
      }
      if (pieceCount > smallPieces && totalBytes < pieceCount * minMeanBytes) {
        done(new WebError('network', 'The answer comes in too many small pieces.'));
        return;
      }
      if (heldBytes + piece.length > joinedBytes && heldBytes > 0) this.push(takeHeld());
      if (piece.length >= joinedBytes) {
        done(null, piece);
        return;
      }
      if (held.length === 0) held = Buffer.allocUnsafe(joinedBytes);
      held.set(piece, heldBytes);
      heldBytes += piece.length;
      if (totalBytes > maxBytes) done(null, takeHeld());
      else done();
    },
    flush(done) {
      done(null, heldBytes === 0 ? null : takeHeld());
    },
  });
  return {
    stream,
    get totalBytes() {
      return totalBytes;
    },
  };
}
