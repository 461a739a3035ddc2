import { randomBytes } from 'node:crypto';
import { type Clock, raceAbort, type SandboxError, systemClock } from '@talaria/core';
import { answerInTime } from './answer-in-time.ts';
import { type AnswerEnd, createFrameReader, type FrameReader } from './frame-reader.ts';
import { launcherScript } from './launcher-script.ts';
import { remoteError } from './remote-error.ts';
import { startOrClose } from './start-or-close.ts';
import type { SandboxTransport, TransportProcess } from './transport.ts';

/** A command, as a launcher gets it. */
export interface ChannelRequest {
  readonly execId: string;
  /** Text for `bash -c`. */
  readonly text: string;
  /** Script that sets the variables of the process, evaluated before it becomes the command. */
  readonly variables: string;
  /** The folder that the caller named: where the command ends in it, no folder is told. */
  readonly folder?: string | undefined;
  /** Stands in the state folder as `command-EXECID` while the command runs. */
  readonly file?: string | undefined;
  readonly stdin?: string | Uint8Array | undefined;
  /** Numbers of the state's files to start from and to save to; `null` for a command without state. */
  readonly state: { readonly loadIndex: number; readonly saveIndex: number } | null;
  readonly hear: (bytes: Uint8Array) => void;
  /** Most bytes of output that are kept; a transport may leave out others. @default all */
  readonly maxOutputBytes?: number | undefined;
  /** Hears how many bytes of output were left out at this place. */
  readonly hearGap?: ((byteCount: number) => void) | undefined;
  /** Gets standard error apart; without it, that comes where it happened in the output. No launcher can keep it apart. */
  readonly hearStderr?: ((bytes: Uint8Array) => void) | undefined;
  readonly hearStderrGap?: ((byteCount: number) => void) | undefined;
}

/** How a request ended. */
export type ChannelOutcome =
  | { readonly kind: 'ended'; readonly exitCode: number; readonly hasSaved: boolean; readonly folder: string | null }
  /** Nothing was started: the folder with the state is new and empty. */
  | { readonly kind: 'no-state' }
  /** Nothing was started: the input did not fit. */
  | { readonly kind: 'no-space' }
  /**
   * The launcher went away; the command may have run in part, and may still run. `isCutOff`: not the launcher ended, but
   * the connection to it.
   */
  | { readonly kind: 'lost'; readonly isCutOff: boolean };

/** A launcher that stands ready. Requests are answered one after another; the caller makes them so. */
export interface CommandChannel {
  /** Where the launcher keeps its files, inside the sandbox. */
  readonly stateFolder: string;
  /** What the first launcher told of the sandbox; empty for further ones. */
  readonly facts: readonly string[];
  readonly isOpen: boolean;
  request(request: ChannelRequest): Promise<ChannelOutcome>;
  /** Ends the launcher, not the command that it runs. */
  close(): void;
}

/** What to open a channel with. */
export interface ChannelOptions {
  readonly transport: SandboxTransport;
  /** Names the state folder: letters and digits. */
  readonly stateId: string;
  /** Folder that an earlier launcher made; `null` makes one and asks for facts. */
  readonly stateFolder: string | null;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Starts a launcher. @throws what the transport throws; SandboxError `sandbox.failed` where it ends, and
 * `sandbox.timeout` where it does not answer */
export async function openCommandChannel(options: ChannelOptions): Promise<CommandChannel> {
  const { transport, clock, signal } = options;
  return await answerInTime(transport, { clock, signal }, (limited) => openWithin(options, limited));
}

async function openWithin(options: ChannelOptions, signal: AbortSignal): Promise<CommandChannel> {
  const { transport, stateId, stateFolder } = options;
  const words = [
    'bash',
    '--noprofile',
    '--norc',
    '-c',
    launcherScript,
    'talaria',
    stateId,
    transport.memoryFolder ?? '',
  ];
  const started = await startOrClose(transport, {
    words: stateFolder === null ? words : [...words, stateFolder],
    hasStdin: true,
    signal,
  });
  const pump = createAnswerPump(started);
  try {
    const facts: Uint8Array[] = [];
    let complaint = '';
    started.stderr?.on('data', (chunk) => {
      complaint = `${complaint}${chunk}`.slice(-500);
    });
    const hello = await raceAbort(
      pump.read('hello', (bytes) => facts.push(bytes)),
      signal,
    );
    if (hello === null || hello.folder === '') throw await silenceError(started, transport, complaint.trim());
    const entries = Buffer.concat(facts).toString('utf8').split('\0').slice(0, -1);
    return createChannel(started, pump, hello.folder, entries);
  } catch (error) {
    started.close();
    throw error;
  }
}

/** What a program that cannot be started is told of with. */
const cannotStart: ReadonlySet<number | null | undefined> = new Set([126, 127]);
const maxExitWaitMs = 1_000;

/** How a launcher ended whose output has: `null` where the connection was lost, `undefined` where it is not told soon. */
async function exitOf({ exited }: TransportProcess): Promise<number | null | undefined> {
  const limit = systemClock.sleep(maxExitWaitMs, { isBackground: true }).then(() => undefined);
  return await Promise.race([exited, limit]);
}

/** Why there is no launcher: no bash, or something else. */
async function silenceError(
  started: TransportProcess,
  { kind }: SandboxTransport,
  complaint: string,
): Promise<SandboxError> {
  const exitCode = await exitOf(started);
  const isMissing = cannotStart.has(exitCode);
  const fault = exitCode === null ? 'the connection was lost' : `exit code ${exitCode}`;
  return remoteError(kind, `No shell could be made ready in the sandbox: ${complaint || fault}`, {
    code: isMissing ? 'sandbox.missing-program' : 'sandbox.failed',
    phase: 'exec',
    started: false,
    hint: 'The sandbox needs bash 4.1 or later, and a folder that can be written to: /tmp, /var/tmp, /dev/shm or the home.',
  });
}

function createChannel(
  started: TransportProcess,
  pump: AnswerPump,
  stateFolder: string,
  facts: readonly string[],
): CommandChannel {
  return {
    stateFolder,
    facts,
    get isOpen() {
      return pump.isOpen;
    },
    async request(request) {
      const nonce = randomBytes(16).toString('hex');
      const answer = pump.read(nonce, request.hear);
      for (const part of encodeRequest(request, nonce)) started.stdin?.write(part);
      const end = await answer;
      return end === null ? { kind: 'lost', isCutOff: (await exitOf(started)) === null } : readOutcome(end);
    },
    close() {
      started.stdin?.end();
      started.close();
      pump.stop();
    },
  };
}

function encodeRequest(request: ChannelRequest, nonce: string): readonly (string | Uint8Array)[] {
  const { execId, text, variables, folder = '', file = '', stdin, state } = request;
  const lengths = [text, variables, folder, file].map((part) => Buffer.byteLength(part));
  const inputLength = stdin === undefined ? '-' : Buffer.byteLength(stdin);
  const indices = state === null ? ['-', '-'] : [state.loadIndex, state.saveIndex];
  const line = ['R', execId, nonce, ...lengths, inputLength, ...indices].join(' ');
  const head = `${line}\n${text}${variables}${folder}${file}`;
  return stdin === undefined || stdin.length === 0 ? [head] : [head, stdin];
}

function readOutcome(end: AnswerEnd): ChannelOutcome {
  const { status, hasSaved, folder } = end;
  if (status === 'no-state' || status === 'no-space') return { kind: status };
  return { kind: 'ended', exitCode: Number(status), hasSaved, folder: folder === '' ? null : folder };
}

/** Hands what a launcher writes to whoever waits for an answer. */
interface AnswerPump {
  /** Resolves with the end of the answer, or `null` where the launcher went away before. */
  read(nonce: string, hear: (bytes: Uint8Array) => void): Promise<AnswerEnd | null>;
  readonly isOpen: boolean;
  /** Waits for nothing any more, as if the launcher had gone away. */
  stop(): void;
}

/** How long output may take that was written before a launcher went away. */
const lastOutputMs = 250;

function createAnswerPump(started: TransportProcess): AnswerPump {
  let isOpen = true;
  let waiting: { readonly reader: FrameReader; readonly resolve: (end: AnswerEnd | null) => void } | null = null;

  function finish(end: AnswerEnd | null): void {
    const done = waiting;
    waiting = null;
    done?.resolve(end);
  }
  function lose(): void {
    isOpen = false;
    finish(null);
  }
  started.stdout.on('data', (chunk: Buffer) => {
    // What nobody waits for comes from the background of an earlier command.
    const end = waiting?.reader.feed(chunk) ?? null;
    if (end !== null) finish(end);
  });
  started.stdout.once('end', lose).once('close', lose).once('error', lose);
  // Read all the same, so that nothing is blocked; a stream that fails has ended.
  started.stderr?.on('error', () => undefined).resume();
  started.stdin?.on('error', () => undefined);
  // What was written before is still on its way, but the stream may be held open in the background.
  started.exited.then(() => systemClock.sleep(lastOutputMs, { isBackground: true })).then(lose);
  return {
    get isOpen() {
      return isOpen;
    },
    stop: lose,
    read(nonce, hear) {
      if (!isOpen) return Promise.resolve(null);
      return new Promise((resolve) => {
        waiting = { reader: createFrameReader(nonce, hear), resolve };
      });
    },
  };
}
