import { type Clock, errorMessage, SandboxError } from '@talaria/core';
import type { ClientChannel, ExecOptions } from 'ssh2';
import type { TransportProcess } from '../remote/transport.ts';
import type { SshLink } from './ssh-link.ts';
import { watchChannel } from './ssh-process.ts';

/** What to start in a session. */
export interface SessionRequest {
  readonly commandLine: string;
  readonly hasStdin: boolean;
  readonly hasPty: boolean;
}

/** How a start ended. */
export type SessionOutcome =
  | { readonly kind: 'started'; readonly process: TransportProcess }
  /** The server gives this connection no more sessions; nothing was started. */
  | { readonly kind: 'full'; readonly cause: unknown }
  /** The connection was gone before it was asked; nothing was started. */
  | { readonly kind: 'gone'; readonly cause: unknown };

const pty = { term: 'dumb', rows: 30, cols: 120, width: 0, height: 0 };

/** One connection and the sessions in it. Each session is one process. */
export class SshConnection {
  readonly #link: SshLink;
  readonly #clock: Clock;
  /** What each session does when the connection is gone. */
  readonly #sessions = new Set<() => void>();
  /** Numbers of the starts that the server was asked for and has not refused, until their sessions end. */
  readonly #asked = new Set<number>();
  #nextNumber = 0;
  #limit: number;
  /** Places that were given out, whether or not the server was asked yet. */
  #taken = 0;
  /** Sessions whose process may go on although the channel is closed: the server still counts them. */
  #abandoned = 0;
  #hasEndedSession = false;

  constructor(link: SshLink, { limit, clock }: { readonly limit: number; readonly clock: Clock }) {
    this.#link = link;
    this.#limit = limit;
    this.#clock = clock;
    link.closed.then(() => {
      for (const lose of [...this.#sessions]) lose();
    });
  }

  get isOpen(): boolean {
    return this.#link.isOpen;
  }

  /** Sessions that the server allows, as far as that is known. */
  get limit(): number {
    return this.#limit;
  }

  /** Whether what the server allows was found out here, undisturbed by sessions that were just ending. */
  get isUndisturbed(): boolean {
    return !this.#hasEndedSession;
  }

  get isIdle(): boolean {
    return this.#taken === 0;
  }

  /** Whether it can take one more. The last place is kept for what is urgent. */
  hasRoom(isUrgent: boolean): boolean {
    if (!this.isOpen) return false;
    const usable = this.#limit - this.#abandoned;
    return this.#taken < (isUrgent ? usable : Math.min(usable, Math.max(1, this.#limit - 1)));
  }

  /** Takes a place; the start that follows gives it back. */
  reserve(): void {
    this.#taken += 1;
  }

  /** Starts a process in a place that was taken. @throws SandboxError where nobody knows whether it was started */
  async start(request: SessionRequest): Promise<SessionOutcome> {
    const number = this.#nextNumber;
    this.#nextNumber += 1;
    this.#asked.add(number);
    try {
      const process = await this.#exec(request, number);
      return { kind: 'started', process };
    } catch (error) {
      this.#giveBack(number);
      const message = errorMessage(error);
      if (message === 'Not connected' || message === 'No response from server') return { kind: 'gone', cause: error };
      if (isRefusal(error)) {
        // It answers in order: whatever it was asked for before and has not refused is open.
        const open = [...this.#asked].filter((other) => other < number).length;
        this.#limit = Math.min(this.#limit, open + this.#abandoned);
        return { kind: 'full', cause: error };
      }
      throw execError(error, this.isOpen);
    }
  }

  end(): Promise<void> {
    return this.#link.end();
  }

  #giveBack(number: number): void {
    this.#asked.delete(number);
    this.#taken -= 1;
  }

  #exec({ commandLine, hasStdin, hasPty }: SessionRequest, number: number): Promise<TransportProcess> {
    const options: ExecOptions = hasPty ? { pty } : {};
    return new Promise((resolve, reject) => {
      // Throws where the connection is gone, which rejects.
      this.#link.client.exec(commandLine, options, (error, channel) => {
        if (error) reject(error);
        else resolve(this.#watch(channel, { hasStdin, hasPty, number }));
      });
    });
  }

  #watch(
    channel: ClientChannel,
    { hasStdin, hasPty, number }: Omit<SessionRequest, 'commandLine'> & { readonly number: number },
  ): TransportProcess {
    const { process, lose } = watchChannel(channel, {
      hasStdin,
      hasPty,
      clock: this.#clock,
      onGone: (hasExited) => {
        this.#sessions.delete(lose);
        this.#giveBack(number);
        this.#hasEndedSession = true;
        if (!hasExited) this.#abandoned += 1;
      },
    });
    this.#sessions.add(lose);
    return process;
  }
}

/** A refused channel comes with the server's reason, a number. */
function isRefusal(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'reason' in error;
}

function execError(error: unknown, isOpen: boolean): SandboxError {
  const what = isOpen ? 'refuses to run commands' : 'was lost while a command was being started';
  return new SandboxError(`The SSH connection ${what}: ${errorMessage(error)}`, {
    backend: 'ssh',
    code: 'sandbox.failed',
    phase: 'exec',
    started: !isOpen,
    hint: isOpen
      ? 'The login may be limited to one program (ForceCommand, or command= in authorized_keys).'
      : 'Look on the server whether it ran before you do it again.',
    cause: error,
  });
}
