import { type Clock, createSemaphore, quoteShell, raceAbort, type Semaphore } from '@talaria/core';
import { answerInTime } from './answer-in-time.ts';
import {
  type ChannelOutcome,
  type ChannelRequest,
  type CommandChannel,
  openCommandChannel,
} from './command-channel.ts';
import type { CommandRunner, SendOptions } from './command-runner.ts';
import { DirectRunner } from './direct-runner.ts';
import { remoteError } from './remote-error.ts';
import type { SandboxTransport } from './transport.ts';

/** What a pool of launchers is made of. */
export interface LauncherPoolParts {
  readonly transport: SandboxTransport;
  /** Names the state folder: letters and digits. */
  readonly stateId: string;
  readonly clock: Clock;
  /** Script that sets every variable of the sandbox; stands in the state folder as `environment`. */
  readonly environmentScript: (facts: readonly string[]) => string;
}

/** Requests at once beside the commands. */
const maxBesideAtOnce = 8;
/** Launchers that are kept for them; one takes about 4 MB. */
const maxKept = 2;

/**
 * The launchers of one sandbox: one for the commands, which run in order, and some for what runs beside them. They are
 * opened when they are needed, and again when they were lost. A request that may have started is never sent again.
 */
export class LauncherPool implements CommandRunner {
  readonly #parts: LauncherPoolParts;
  readonly #beside: Semaphore = createSemaphore(maxBesideAtOnce);
  readonly #kept: CommandChannel[] = [];
  readonly #direct: DirectRunner;
  readonly facts: readonly string[];
  readonly stateFolder: string;
  #foreground: CommandChannel | null;
  /** The one that runs a command in order. */
  #atWork: CommandChannel | null = null;
  /** How often the launchers were let go of. */
  #retirements = 0;

  private constructor(parts: LauncherPoolParts, first: CommandChannel) {
    const { transport, clock, environmentScript } = parts;
    this.#parts = parts;
    this.#foreground = first;
    this.facts = first.facts;
    this.stateFolder = first.stateFolder;
    const environment = environmentScript(first.facts);
    this.#direct = new DirectRunner({ transport, clock, shell: 'bash', stateFolder: first.stateFolder, environment });
  }

  /** Opens the first launcher and puts the variables down. @throws what {@link openCommandChannel} throws */
  static async open(parts: LauncherPoolParts, signal: AbortSignal): Promise<LauncherPool> {
    const { transport, stateId, clock } = parts;
    const first = await openCommandChannel({ transport, stateId, stateFolder: null, clock, signal });
    const pool = new LauncherPool(parts, first);
    try {
      await pool.#writeEnvironment(first, signal, true);
      return pool;
    } catch (error) {
      pool.close();
      throw error;
    }
  }

  async runInOrder(request: ChannelRequest, options: SendOptions): Promise<ChannelOutcome> {
    if (request.hearStderr !== undefined) return await this.#direct.runInOrder(request, options);
    if (!this.#foreground?.isOpen) this.#foreground = await this.#open(options.signal);
    const used = this.#foreground;
    this.#atWork = used;
    try {
      return await this.#send(used, request, options);
    } finally {
      if (this.#atWork === used) this.#atWork = null;
      if (used !== this.#foreground) used.close();
    }
  }

  async runBeside(request: ChannelRequest, options: SendOptions): Promise<ChannelOutcome> {
    using _place = await this.#beside.acquire(options.signal);
    if (request.hearStderr !== undefined) return await this.#direct.runInOrder(request, options);
    let channel = this.#kept.pop();
    while (channel?.isOpen === false) channel = this.#kept.pop();
    channel ??= await this.#open(options.signal);
    const used = channel;
    const opened = this.#retirements;
    let outcome: ChannelOutcome | null = null;
    try {
      outcome = await this.#send(used, request, options);
      return outcome;
    } finally {
      const isGood = used.isOpen && outcome?.kind === 'ended' && opened === this.#retirements;
      if (isGood && this.#kept.length < maxKept) this.#kept.push(used);
      else used.close();
    }
  }

  retire(): void {
    this.#retirements += 1;
    for (const channel of this.#kept.splice(0)) channel.close();
    if (this.#foreground !== this.#atWork) this.#foreground?.close();
    this.#foreground = null;
  }

  close(): void {
    this.#foreground?.close();
    this.retire();
  }

  async #open(signal: AbortSignal): Promise<CommandChannel> {
    const { transport, stateId, clock } = this.#parts;
    return await openCommandChannel({ transport, stateId, stateFolder: this.stateFolder, clock, signal });
  }

  async #send(channel: CommandChannel, request: ChannelRequest, options: SendOptions): Promise<ChannelOutcome> {
    options.signal.throwIfAborted();
    options.onStart();
    const { abandoned } = options;
    const outcome = await ask(channel, request, abandoned);
    if (outcome.kind !== 'no-state') return outcome;
    // A program has removed the state, and nothing was started: once more, from the first state on.
    await this.#writeEnvironment(channel, abandoned);
    return await ask(channel, request, abandoned);
  }

  async #writeEnvironment(channel: CommandChannel, signal: AbortSignal | undefined, mayFinish = false): Promise<void> {
    const { transport, clock, environmentScript } = this.#parts;
    const request = {
      execId: 'environment',
      text: `umask 077; cat >${quoteShell([`${this.stateFolder}/environment`])}`,
      variables: '',
      stdin: environmentScript(this.facts),
      state: null,
      hear: () => undefined,
    };
    const outcome = await answerInTime(transport, { clock, signal, mayFinish }, (limited) =>
      ask(channel, request, limited),
    );
    if (outcome.kind === 'ended' && outcome.exitCode === 0) return;
    throw remoteError(transport.kind, `Cannot write into ${this.stateFolder} in the sandbox`, {
      code: outcome.kind === 'no-space' ? 'sandbox.no-space' : 'sandbox.failed',
      phase: 'exec',
      started: false,
      hint: 'The sandbox needs a folder that can be written to, with some room in it.',
    });
  }
}

/** Sends a request to a launcher, which is closed where the signal comes first: nobody else could use it. */
async function ask(
  channel: CommandChannel,
  request: ChannelRequest,
  signal: AbortSignal | undefined,
): Promise<ChannelOutcome> {
  try {
    return await raceAbort(channel.request(request), signal);
  } catch (error) {
    channel.close();
    throw error;
  }
}
