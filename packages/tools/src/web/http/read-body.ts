import { type Readable, type Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { systemErrorCode } from '@talaria/core';
import { WebError } from '../web-error.ts';
import { createPieceJoiner } from './join-pieces.ts';

/** A body as far as it was read. */
export interface BodyBytes {
  /** Decoded; at most the limit. */
  readonly bytes: Uint8Array;
  /** Whether there was more. */
  readonly isTruncated: boolean;
}

/** More codings on top of each other than any honest server uses. */
const maxCodings = 3;

/**
 * Reads a body to its end or to `maxBytes` decoded bytes, and lets go of the rest. What is decoded is counted while it is
 * decoded, so that a few compressed bytes never become more than the limit.
 *
 * @throws WebError for a coding that is unknown, and where the body is made to be costly: of very many small pieces, or of
 * bytes that nothing is decoded from; rejects with the stream's error where it breaks or cannot be decoded
 */
export async function readBody(body: Readable, contentEncoding: string, maxBytes: number): Promise<BodyBytes> {
  const decoders = decodersOf(contentEncoding);
  const joiner = createPieceJoiner(maxBytes);
  const chunks: Uint8Array[] = [];
  let keptBytes = 0;
  let isTruncated = false;
  const sink = new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      const roomBytes = maxBytes - keptBytes;
      chunks.push(chunk.length > roomBytes ? chunk.subarray(0, roomBytes) : chunk);
      keptBytes += Math.min(chunk.length, roomBytes);
      isTruncated = chunk.length > roomBytes;
      // An error ends the whole chain at once.
      done(isTruncated ? new Error('Enough was read') : null);
    },
  });
  try {
    await pipeline([body, joiner.stream, ...decoders, sink]);
  } catch (error) {
    // Many servers name a coding for answers that have no body.
    const isEmpty = joiner.totalBytes === 0 && systemErrorCode(error) === 'Z_BUF_ERROR';
    if (!isTruncated && !isEmpty) throw error;
  }
  return { bytes: Buffer.concat(chunks), isTruncated };
}

/** In the order in which the codings have to be undone. */
function decodersOf(contentEncoding: string): readonly Transform[] {
  const codings = contentEncoding
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length > maxCodings) throw unreadable(contentEncoding);
  return codings.reverse().map((coding) => {
    if (coding === 'gzip' || coding === 'x-gzip') return createGunzip();
    if (coding === 'br') return createBrotliDecompress();
    if (coding === 'deflate') return createInflate();
    throw unreadable(contentEncoding);
  });
}

function unreadable(contentEncoding: string): WebError {
  return new WebError(
    'network',
    `The answer is encoded as ${JSON.stringify(contentEncoding.slice(0, 80))}, which cannot be read.`,
  );
}
