import {
  type Clock,
  errorMessage,
  isTalariaError,
  type Logger,
  openDeadline,
  openOrDiscard,
  raceAbort,
  settleWithin,
} from '@talaria/core';
import { killerScript } from './killer-script.ts';
import { startOrClose } from './start-or-close.ts';
import type { SandboxTransport } from './transport.ts';

/** Which processes are meant. */
export type KillTarget =
  | { readonly mode: 'exec'; readonly execId: string }
  /** `limitMark`: hidden limit that marks what a sandbox starts; `null` for none. */
  | { readonly mode: 'sandbox'; readonly sandboxId: string; readonly limitMark: string | null }
  /** Everything but the first process. */
  | { readonly mode: 'all' };

/** Ends processes inside a sandbox, by a path of its own: it waits for no command and no file operation. */
export interface Killer {
  /**
   * Ends what is meant; gives the numbers of those that survived, or `null` where nothing could be found out. Never throws.
   * With the signal it gives up, but for ending everything from outside: what the engine was asked for comes about, and must
   * not meet what runs next.
   */
  end(target: KillTarget, graceMs: number, signal?: AbortSignal): Promise<readonly number[] | null>;
}

/** Beyond the grace time: looking for processes takes a moment in a sandbox with many. */
const marginMs = 15_000;
/** For ending all from outside, on a machine that has much to do. */
const maxOutsideMs = 90_000;

/** What a killer needs beside the transport. */
export interface KillerTools {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called when everything in the sandbox was ended from outside, whatever was asked for. */
  readonly onAllEnded?: (() => void) | undefined;
}

/** Creates it. */
export function createKiller(transport: SandboxTransport, { clock, logger, onAllEnded }: KillerTools): Killer {
  async function run(args: readonly string[], signal: AbortSignal): Promise<readonly number[]> {
    const started = await startOrClose(transport, {
      words: ['sh', '-c', killerScript, 'talaria', ...args],
      isUrgent: true,
      signal,
    });
    try {
      started.stderr?.on('error', () => undefined).resume();
      let output = '';
      const ended = new Promise<void>((resolve, reject) => {
        started.stdout
          .on('data', (chunk: Buffer) => {
            output += chunk.toString('latin1');
          })
          .once('end', resolve)
          .once('close', resolve)
          .once('error', reject);
      });
      const [exitCode] = await raceAbort(Promise.all([started.exited, ended]), signal);
      // Without a process to spare, the script gives up in the middle.
      if (exitCode !== null && exitCode !== 0) throw new Error(`The killer ended with exit code ${exitCode}`);
      const survivors = output.split(/\s+/).filter(Boolean).map(Number);
      if (survivors.length > 0) logger.warn('sandbox.processes-survived', { pids: survivors });
      return survivors;
    } finally {
      started.close();
    }
  }

  /** `null` where nothing could be found out, which more room may help; `'gone'` where nothing can help. */
  async function attempt(
    args: readonly string[],
    graceMs: number,
    signal?: AbortSignal,
  ): Promise<readonly number[] | null | 'gone'> {
    using deadline = openDeadline(clock, graceMs + marginMs, signal);
    try {
      return await run(args, deadline.signal);
    } catch (error) {
      logger.warn('sandbox.kill-failed', { message: errorMessage(error) });
      return isTalariaError(error) && error.code !== 'sandbox.failed' ? 'gone' : null;
    }
  }

  async function attemptWithRoom(
    args: readonly string[],
    graceMs: number,
    signal?: AbortSignal,
  ): Promise<readonly number[] | null | 'gone'> {
    const { makeRoom } = transport;
    if (makeRoom === undefined) return null;
    try {
      const room = await withinMargin(() => makeRoom.call(transport), signal);
      try {
        return await attempt(args, graceMs, signal);
      } finally {
        await settleWithin(async () => await room[Symbol.asyncDispose](), marginMs, logger);
      }
    } catch (error) {
      logger.warn('sandbox.kill-failed', { message: errorMessage(error) });
      return null;
    }
  }

  async function withinMargin(make: () => Promise<AsyncDisposable>, signal?: AbortSignal): Promise<AsyncDisposable> {
    using deadline = openDeadline(clock, marginMs, signal);
    return await openOrDiscard(make, deadline.signal);
  }

  async function endFromOutside(
    endEverything: () => Promise<void>,
    args: readonly string[],
  ): Promise<readonly number[] | null> {
    try {
      using deadline = openDeadline(clock, maxOutsideMs, undefined);
      await raceAbort(endEverything(), deadline.signal);
      onAllEnded?.();
      logger.warn('sandbox.all-ended', { hint: 'All its processes were ended, since some could not be ended alone.' });
      const survivors = await attempt(args, 0);
      return survivors === 'gone' ? null : survivors;
    } catch (error) {
      logger.warn('sandbox.kill-failed', { message: errorMessage(error) });
      return null;
    }
  }

  return {
    async end(target, graceMs, signal) {
      const args = [String(graceMs), ...argumentsOf(target)];
      let survivors = await attempt(args, graceMs, signal);
      if (survivors === null && signal?.aborted !== true) survivors = await attemptWithRoom(args, graceMs, signal);
      if (survivors === 'gone' || signal?.aborted === true) return null;
      if (survivors?.length === 0 || transport.endEverything === undefined) return survivors;
      return await endFromOutside(
        () => transport.endEverything?.() ?? Promise.resolve(),
        ['0', ...argumentsOf(target)],
      );
    },
  };
}

function argumentsOf(target: KillTarget): readonly string[] {
  switch (target.mode) {
    case 'exec':
      return ['exec', target.execId];
    case 'sandbox':
      return ['sandbox', target.sandboxId, target.limitMark ?? '-'];
    case 'all':
      return ['all'];
  }
}
