import { type Clock, openDeadline } from '@talaria/core';
import type Dockerode from 'dockerode';

/** Enough for whatever ends the others. */
const sparePids = 64;
const maxRequestMs = 15_000;

/**
 * Creates what lifts the limit of processes of a container by some for as long as anybody needs that, and no further for
 * several at once. The limit is asked for once.
 */
export function createProcessRoom(container: Dockerode.Container, clock: Clock): () => Promise<AsyncDisposable> {
  let limit: number | null = null;
  let holders = 0;
  let last: Promise<unknown> = Promise.resolve();

  /** One after another: else what lowers the limit could overtake what lifts it. */
  function inTurn(work: (abortSignal: AbortSignal) => Promise<void>): Promise<void> {
    const turn = last.then(async () => {
      using deadline = openDeadline(clock, maxRequestMs, undefined);
      await work(deadline.signal);
    });
    last = turn.catch(() => undefined);
    return turn;
  }

  async function lift(abortSignal: AbortSignal): Promise<void> {
    limit ??= (await container.inspect({ abortSignal })).HostConfig.PidsLimit ?? 0;
    if (holders === 0 && limit > 0) await container.update({ PidsLimit: limit + sparePids, abortSignal });
    holders += 1;
  }

  async function lower(abortSignal: AbortSignal): Promise<void> {
    holders -= 1;
    if (holders === 0 && limit !== null && limit > 0) await container.update({ PidsLimit: limit, abortSignal });
  }

  return async () => {
    await inTurn(lift);
    return { [Symbol.asyncDispose]: () => inTurn(lower) };
  };
}
