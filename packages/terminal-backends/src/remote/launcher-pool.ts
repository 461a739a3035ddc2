import { type Clock, createSemaphore, quoteShell, type Semaphore } from '@talaria/core';
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
    const { transport, stateId } = parts;
    const first = await openCommandChannel({ transport, stateId, stateFolder: null, signal });
    const pool = new LauncherPool(parts, first);
    await pool.#writeEnvironment(first);
    return pool;
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

  abandon(): void {
    this.#foreground?.close();
    this.#foreground = null;
  }

  retire(): void {
    this.#retirements += 1;
    for (const channel of this.#kept.splice(0)) channel.close();
    if (this.#foreground !== this.#atWork) this.#foreground?.close();
    this.#foreground = null;
  }

  close(): void {
    this.abandon();
    this.retire();
  }

  async #open(signal: AbortSignal): Promise<CommandChannel> {
    const { transport, stateId } = this.#parts;
    return await openCommandChannel({ transport, stateId, stateFolder: this.stateFolder, signal });
  }

  async #send(channel: CommandChannel, request: ChannelRequest, options: SendOptions): Promise<ChannelOutcome> {
    options.signal.throwIfAborted();
    options.onStart();
    const outcome = await channel.request(request);
    if (outcome.kind !== 'no-state') return outcome;
    // A program has removed the state, and nothing was started: once more, from the first state on.
    await this.#writeEnvironment(channel);
    return await channel.request(request);
  }

  async #writeEnvironment(channel: CommandChannel): Promise<void> {
    const outcome = await channel.request({
      execId: 'environment',
      text: `umask 077; cat >${quoteShell([`${this.stateFolder}/environment`])}`,
      variables: '',
      stdin: this.#parts.environmentScript(this.facts),
      state: null,
      hear: () => undefined,
    });
    if (outcome?.kind === 'ended' && outcome.exitCode === 0) return;
    throw remoteError(this.#parts.transport.kind, `Cannot write into ${this.stateFolder} in the sandbox`, {
      code: outcome.kind === 'no-space' ? 'sandbox.no-space' : 'sandbox.failed',
      phase: 'exec',
      started: false,
      hint: 'The sandbox needs a folder that can be written to, with some room in it.',
    });
  }
}
