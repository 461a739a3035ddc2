import { PassThrough, type Readable } from 'node:stream';

/**
 * What a child writes to one of its streams, kept until somebody reads it. When a child exits, Node reads and drops what
 * its streams still hold if nobody reads them yet, so that whoever comes later finds no output and no end of it.
 * Destroying the result closes the stream.
 */
export function keepUnread(stream: Readable): Readable {
  const kept = new PassThrough();
  stream.once('error', () => kept.end()).once('close', () => kept.end());
  kept.once('close', () => stream.destroy());
  return stream.pipe(kept);
}
