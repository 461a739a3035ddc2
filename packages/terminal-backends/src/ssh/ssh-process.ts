import { constants } from 'node:os';
import { Readable, Writable } from 'node:stream';
import type { Clock } from '@talaria/core';
import type { ClientChannel } from 'ssh2';
import type { TransportProcess } from '../remote/transport.ts';
import { startMark } from './command-line.ts';
import { createMarkFilter, type MarkFilter } from './mark-filter.ts';

/** What is known of a channel besides itself. */
export interface ChannelFacts {
  readonly hasStdin: boolean;
  readonly hasPty: boolean;
  readonly clock: Clock;
  /** Hears once that the channel is gone, and whether the process is known to have ended. */
  readonly onGone: (hasExited: boolean) => void;
}

/** A process, with what its connection must tell it. */
export interface WatchedChannel {
  readonly process: TransportProcess;
  /** The connection is gone: a channel that nobody reads would not notice. */
  lose(): void;
}

/** How long a process may take to end that was let go of; what goes on after that keeps a place of the server's. */
const maxExitWaitMs = 2_000;

/**
 * Makes a process of a channel that was just opened. It must be called before anything else happens, since the end of a
 * short process comes with the same packet.
 */
export function watchChannel(channel: ClientChannel, facts: ChannelFacts): WatchedChannel {
  const { hasStdin, hasPty, clock, onGone } = facts;
  let hasExited = false;
  let isGone = false;
  const exit = Promise.withResolvers<number | null>();
  function goAway(): void {
    exit.resolve(null);
    if (isGone) return;
    isGone = true;
    onGone(hasExited);
  }
  channel.once('exit', (code: number | null, signalName?: string) => {
    hasExited = true;
    exit.resolve(code ?? 128 + signalNumber(signalName));
  });
  channel.on('error', () => undefined);
  channel.once('close', goAway);

  const stdout = followOutput(channel, createMarkFilter(startMark));
  const stderr = followOutput(channel.stderr);
  const stdin = hasStdin ? feedInput(channel, exit.promise) : null;
  if (!hasStdin) channel.end();
  if (hasPty) stderr.resume();

  async function letGo(): Promise<void> {
    stdin?.destroy();
    channel.end();
    stdout.destroy();
    stderr.destroy();
    // A process that is about to end is waited for: closed before, the channel would not tell.
    await Promise.race([exit.promise, clock.sleep(maxExitWaitMs, { isBackground: true })]);
    channel.close();
  }
  let isLetGo = false;
  const process = {
    stdin,
    stdout,
    stderr: hasPty ? null : stderr,
    exited: exit.promise,
    close() {
      if (isLetGo) return;
      isLetGo = true;
      void letGo();
    },
  };
  return { process, lose: goAway };
}

/** Read ahead of whoever takes it. A small number would stop and start the channel at every packet. */
const outputBytes = 1_048_576;

/** Output of a channel as a stream that can be destroyed: what comes after that is read and dropped. */
function followOutput(source: Readable, filter: MarkFilter | null = null): Readable {
  const output = new Readable({
    highWaterMark: outputBytes,
    read: () => source.resume(),
    destroy(error, done) {
      source.resume();
      done(error);
    },
  });
  source
    .on('data', (chunk: Buffer) => {
      const bytes = filter === null ? chunk : filter.feed(chunk);
      if (bytes !== null && !output.destroyed && !output.push(bytes)) source.pause();
    })
    .once('end', () => {
      const held = filter?.held() ?? null;
      if (held !== null && !output.destroyed) output.push(held);
      output.push(null);
    });
  return output;
}

/**
 * Input of a channel as a stream that ends with the process: a channel that is closed never answers a write, so that
 * whoever waits for it would wait for ever.
 */
function feedInput(channel: ClientChannel, ended: Promise<unknown>): Writable {
  let waiting: ((error?: Error | null) => void) | null = null;
  const input = new Writable({
    write(chunk: Buffer, _encoding, done) {
      waiting = done;
      channel.write(chunk, () => {
        // Answered already where the process has ended in between.
        if (waiting !== done) return;
        waiting = null;
        done();
      });
    },
    final(done) {
      channel.end();
      done();
    },
    destroy(error, done) {
      const unanswered = waiting;
      waiting = null;
      unanswered?.(error ?? Object.assign(new Error('The process takes no more input'), { code: 'EPIPE' }));
      done(error);
    },
  });
  ended.then(() => input.destroy());
  return input;
}

function signalNumber(name: string | undefined): number {
  const entry = Object.entries(constants.signals).find(([known]) => known === name);
  // Of a signal that has no name here, only that there was one is certain.
  return entry?.[1] ?? constants.signals.SIGKILL;
}
