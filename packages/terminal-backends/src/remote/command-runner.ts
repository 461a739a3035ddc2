import type { ChannelOutcome, ChannelRequest } from './command-channel.ts';

/** How a request is sent. */
export interface SendOptions {
  readonly signal: AbortSignal;
  /** Called when the request goes out: from then on the command may run. */
  readonly onStart: () => void;
  /** Lets go of a request that has gone out, whatever runs on: it rejects with the reason. @default never */
  readonly abandoned?: AbortSignal | undefined;
}

/** Brings commands into one sandbox. */
export interface CommandRunner {
  /** Folder inside the sandbox for what only Talaria itself writes. */
  readonly stateFolder: string;
  /** What the sandbox told of itself, see `sandbox-facts.ts`. */
  readonly facts: readonly string[];
  /** Sends a command. The caller sends one at a time. */
  runInOrder(request: ChannelRequest, options: SendOptions): Promise<ChannelOutcome>;
  /** Sends what runs beside the commands; at most eight at once, others wait. */
  runBeside(request: ChannelRequest, options: SendOptions): Promise<ChannelOutcome>;
  /**
   * Lets go of what stands ready, and of what is at work as soon as it is done: everything in the sandbox is about to be
   * ended, which is not to wait for that. What comes next starts anew.
   */
  retire(): void;
  /** Lets go of everything. */
  close(): void;
}
