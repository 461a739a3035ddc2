import { type Duplex, Readable } from 'node:stream';
import { createFrameSplitter } from './frame-splitter.ts';

/** What a process writes, taken apart. */
export interface SplitOutput {
  readonly stdout: Readable;
  /** `null` where both come in one stream, as from a terminal. */
  readonly stderr: Readable | null;
  /** The first piece of standard output: where a start has failed, the engine says there why. */
  readonly opening: () => string;
  /** Resolves when the first bytes came, or the end. */
  readonly stirred: Promise<void>;
  /** Resolves when nothing more comes. */
  readonly ended: Promise<void>;
}

/**
 * Takes the one stream of a Docker exec apart into standard output and standard error. It keeps no more than both streams
 * hold: while one of them is full and not read, nothing is taken from the source. A source that fails has ended.
 */
export function splitOutput(source: Duplex, isTerminal: boolean): SplitOutput {
  const full = new Set<Readable>();
  const stirred = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  let opening: Buffer | null = null;

  function createStream(): Readable {
    const stream: Readable = new Readable({
      read() {
        if (full.delete(stream) && full.size === 0) source.resume();
      },
    });
    return stream;
  }
  const stdout = createStream();
  const stderr = isTerminal ? null : createStream();

  function pass(isStderr: boolean, piece: Buffer): void {
    const stream = isStderr && stderr !== null ? stderr : stdout;
    if (stream === stdout) opening ??= piece;
    if (stream.destroyed || stream.push(piece)) return;
    full.add(stream);
    source.pause();
  }
  const feed = createFrameSplitter(pass);
  let hasEnded = false;
  function end(): void {
    if (hasEnded) return;
    hasEnded = true;
    for (const stream of [stdout, stderr]) if (stream?.destroyed === false) stream.push(null);
    stirred.resolve();
    ended.resolve();
  }
  source.on('data', (chunk: Buffer) => {
    if (isTerminal) pass(false, chunk);
    else feed(chunk);
    stirred.resolve();
  });
  source.once('end', end).once('close', end).on('error', end);
  return {
    stdout,
    stderr,
    opening: () => opening?.toString('utf8') ?? '',
    stirred: stirred.promise,
    ended: ended.promise,
  };
}
