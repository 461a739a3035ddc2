import { type Clock, errorMessage, isTalariaError, type Logger, raceAbort, SandboxError } from '@talaria/core';
import type { TransportProcess } from '../remote/transport.ts';
import { awaitAnswer } from './await-answer.ts';
import { isDroppedConnect } from './connect-error.ts';
import { type SessionRequest, SshConnection } from './ssh-connection.ts';
import type { SshLink } from './ssh-link.ts';

/** What {@link createSshConnections} needs. */
export interface SshConnectionsParts {
  /** Makes a connection; leaves no socket where it fails or is aborted. */
  readonly connect: (signal: AbortSignal) => Promise<SshLink>;
  /** Most sessions of one connection. */
  readonly maxSessions: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A start, as the pool takes it. */
export interface StartSession extends SessionRequest {
  /** Ends something that runs: it gets the place that is kept for that. */
  readonly isUrgent: boolean;
  /** Stops the wait for a place. Once the server was asked, it is given some seconds to answer. */
  readonly signal?: AbortSignal | undefined;
}

/** The connections of one backend. They are open as long as somebody holds them. */
export interface SshConnections {
  /** Holds them open; when the last holder disposes, every connection is closed. */
  hold(): AsyncDisposable;
  /** Starts a process in a session. Nothing that may have started is started again. @throws SandboxError, ConfigError */
  start(request: StartSession): Promise<TransportProcess>;
}

/** Waits before a server that was there before is tried again. */
const reconnectDelaysMs = [1_000, 2_000, 4_000];
/** How often a start may meet connections that turn out to be of no use. */
const maxUselessConnections = 4;

/** Creates the pool; it connects when something is started. */
export function createSshConnections(parts: SshConnectionsParts): SshConnections {
  return new ConnectionPool(parts);
}

class ConnectionPool implements SshConnections {
  readonly #parts: SshConnectionsParts;
  readonly #connections = new Set<SshConnection>();
  #sessionLimit: number;
  #holders = 0;
  #hasConnected = false;
  #closing = new AbortController();
  #connecting: Promise<void> | null = null;

  constructor(parts: SshConnectionsParts) {
    this.#parts = parts;
    this.#sessionLimit = parts.maxSessions;
  }

  hold(): AsyncDisposable {
    this.#holders += 1;
    let release: Promise<void> | null = null;
    return {
      [Symbol.asyncDispose]: () => {
        release ??= this.#release();
        return release;
      },
    };
  }

  async start({ isUrgent, signal, ...request }: StartSession): Promise<TransportProcess> {
    let cause: unknown;
    for (let useless = 0; useless < maxUselessConnections; useless += 1) {
      const connection = await this.#findPlace(isUrgent, signal);
      const outcome = await awaitAnswer(connection.start(request), signal, this.#parts.clock);
      if (outcome.kind === 'started') return outcome.process;
      cause = outcome.cause;
      if (outcome.kind === 'gone') {
        this.#connections.delete(connection);
        await connection.end();
      } else {
        this.#learnLimit(connection);
        // A connection with other sessions in it is just full.
        if (connection.limit > 0) useless -= 1;
      }
    }
    throw new SandboxError(`The SSH server gives no session: ${errorMessage(cause)}`, {
      backend: 'ssh',
      code: 'sandbox.failed',
      phase: 'exec',
      started: false,
      hint: 'See MaxSessions in its sshd_config, which must be 1 at least, and whether the machine has memory left.',
      cause,
    });
  }

  #learnLimit(connection: SshConnection): void {
    const { limit, isUndisturbed } = connection;
    if (limit === 0 || !isUndisturbed || limit >= this.#sessionLimit) return;
    this.#sessionLimit = limit;
    this.#parts.logger.info('ssh.session-limit', { sessionsPerConnection: limit });
  }

  /** A connection with a place, which is taken. Connects are made one after another (MaxStartups). */
  async #findPlace(isUrgent: boolean, signal: AbortSignal | undefined): Promise<SshConnection> {
    for (;;) {
      signal?.throwIfAborted();
      // A connection that nobody holds would never be closed.
      if (this.#holders === 0) throw closedError();
      this.#sortOut();
      for (const connection of this.#connections) {
        if (!connection.hasRoom(isUrgent)) continue;
        connection.reserve();
        return connection;
      }
      await raceAbort(this.#connectOnce(), signal);
    }
  }

  #connectOnce(): Promise<void> {
    if (this.#connecting !== null) return this.#connecting;
    const connecting = this.#connectAnother().finally(() => {
      if (this.#connecting === connecting) this.#connecting = null;
    });
    this.#connecting = connecting;
    return connecting;
  }

  /** Forgets connections that are gone, and closes all but one of those that nothing uses. */
  #sortOut(): void {
    let hasSpare = false;
    for (const connection of [...this.#connections]) {
      const isSpare = connection.isIdle && connection.hasRoom(true);
      if (connection.isOpen && !(connection.isIdle && (hasSpare || !isSpare))) {
        hasSpare ||= isSpare;
        continue;
      }
      this.#connections.delete(connection);
      void connection.end();
    }
  }

  async #connectAnother(): Promise<void> {
    const { clock, logger } = this.#parts;
    const { signal } = this.#closing;
    const delaysMs = [...reconnectDelaysMs];
    for (;;) {
      try {
        const link = await this.#parts.connect(signal);
        this.#hasConnected = true;
        const connection = new SshConnection(link, { limit: this.#sessionLimit, clock });
        this.#connections.add(connection);
        link.closed.then(() => this.#forget(connection));
        if (signal.aborted) await this.#close(connection);
        return;
      } catch (error) {
        const delayMs = this.#mayConnectLater(error) ? delaysMs.shift() : undefined;
        if (delayMs === undefined || signal.aborted) throw error;
        logger.warn('ssh.reconnect', { delayMs, message: errorMessage(error) });
        await clock.sleep(delayMs, { signal });
      }
    }
  }

  /** One that was closed here is forgotten already. */
  #forget(connection: SshConnection): void {
    if (this.#connections.delete(connection)) this.#parts.logger.warn('ssh.connection-lost');
  }

  /** What never answered has most likely a wrong address. */
  #mayConnectLater(error: unknown): boolean {
    if (!isTalariaError(error) || !error.retryable) return false;
    return this.#hasConnected || isDroppedConnect(error.cause);
  }

  async #release(): Promise<void> {
    this.#holders -= 1;
    if (this.#holders > 0) return;
    this.#closing.abort(closedError());
    const connecting = this.#connecting;
    // Whoever holds the connections from now on makes new ones.
    this.#connecting = null;
    this.#closing = new AbortController();
    await Promise.all([...this.#connections].map((connection) => this.#close(connection)));
    await connecting?.catch(() => undefined);
  }

  async #close(connection: SshConnection): Promise<void> {
    this.#connections.delete(connection);
    await connection.end();
  }
}

function closedError(): SandboxError {
  return new SandboxError('The SSH connections are closed', {
    backend: 'ssh',
    code: 'sandbox.closed',
    phase: 'exec',
    started: false,
    hint: 'Use a sandbox before whoever opened it disposes of it.',
  });
}
