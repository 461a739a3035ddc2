import type { Duplex } from 'node:stream';
import { type Logger, settleWithin } from '@talaria/core';
import type { Client } from 'ssh2';

/** A connection that is logged in. */
export interface SshLink {
  readonly client: Client;
  /** Resolves when it is gone, whoever ended it. */
  readonly closed: Promise<void>;
  readonly isOpen: boolean;
  /** Ends it, and what it goes through. Bounded in time; never throws. */
  end(): Promise<void>;
}

const maxFarewellMs = 2_000;

/** Watches over a client that is about to connect over a socket. */
export function watchLink(client: Client, socket: Duplex, logger: Logger): SshLink {
  let isOpen = true;
  const closed = new Promise<void>((resolve) => {
    client.once('close', () => {
      isOpen = false;
      resolve();
    });
  });
  // What the server has closed takes nothing any more, and what waits to be sent would hold it open.
  client.once('end', () => socket.destroy());
  return {
    client,
    closed,
    get isOpen() {
      return isOpen;
    },
    async end() {
      if (!isOpen) return;
      client.end();
      if ((await settleWithin(() => closed, maxFarewellMs, logger)) === 'done') return;
      socket.destroy();
      await settleWithin(() => closed, maxFarewellMs, logger);
    },
  };
}
