import { type Duplex, Readable } from 'node:stream';
import type { Clock } from '@talaria/core';
import { createFlowGate } from './flow-gate.ts';
import { createFrameSplitter } from './frame-splitter.ts';

/** What a process writes, taken apart. */
export interface SplitOutput {
  readonly stdout: Readable;
  /** `null` where both come in one stream, as from a terminal. */
  readonly stderr: Readable | null;
  /** The first piece of either: where a start has failed, the engine says there why (Podman as standard error). */
  readonly opening: () => string;
  /** Resolves when the first bytes came, or the end. */
  readonly stirred: Promise<void>;
  /** Resolves when nothing more comes. */
  readonly ended: Promise<void>;
  /** Drops all that comes from now on. */
  readonly discard: () => void;
}

/**
 * Takes the one stream of a Docker exec apart into standard output and standard error. It keeps no more than both streams
 * hold, and a little: while one of them is full and not read, the source is held back. A source that fails has ended.
 */
export function splitOutput(
  source: Duplex,
  { isTerminal, clock }: { readonly isTerminal: boolean; readonly clock: Clock },
): SplitOutput {
  const gate = createFlowGate(source, clock);
  const full = new Set<Readable>();
  function relieve(stream: Readable): void {
    if (full.delete(stream) && full.size === 0) gate.open();
  }
  const stdout = createStream(relieve);
  const stderr = isTerminal ? null : createStream(relieve);
  const stirred = Promise.withResolvers<void>();
  let opening: Buffer | null = null;
  let isDiscarding = false;

  function pass(isStderr: boolean, piece: Buffer): void {
    const stream = isStderr && stderr !== null ? stderr : stdout;
    opening ??= piece;
    if (!isDiscarding && !stream.destroyed && !stream.push(piece)) full.add(stream);
  }
  const feed = isTerminal ? (chunk: Buffer) => pass(false, chunk) : createFrameSplitter(pass);
  source.on('data', (chunk: Buffer) => {
    feed(chunk);
    gate.count(chunk.length);
    if (full.size > 0 && !isDiscarding) gate.close();
    stirred.resolve();
  });
  const ended = endOf(source).then(() => {
    gate.leave();
    for (const stream of [stdout, stderr]) if (stream?.destroyed === false) stream.push(null);
    stirred.resolve();
  });
  return {
    stdout,
    stderr,
    opening: () => opening?.toString('utf8') ?? '',
    stirred: stirred.promise,
    ended,
    discard() {
      isDiscarding = true;
      gate.open();
    },
  };
}

/** A stream that others push to; tells when there is room in it again, or nobody wants more of it. */
function createStream(onRoom: (stream: Readable) => void): Readable {
  const stream: Readable = new Readable({
    read: () => onRoom(stream),
    destroy(error, done) {
      onRoom(stream);
      done(error);
    },
  });
  return stream;
}

function endOf(source: Duplex): Promise<void> {
  return new Promise((resolve) => {
    source.once('end', resolve).once('close', resolve).on('error', resolve);
  });
}
