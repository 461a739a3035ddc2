import { randomBytes } from 'node:crypto';
import { type Clock, createSemaphore, quoteShell, raceAbort, type Semaphore } from '@talaria/core';
import { hearOutput } from '../output-gap.ts';
import type { ChannelOutcome, ChannelRequest } from './command-channel.ts';
import type { CommandRunner, SendOptions } from './command-runner.ts';
import { type AnswerEnd, createFrameReader } from './frame-reader.ts';
import { startOrClose } from './start-or-close.ts';
import { placeFiles, putStateFile } from './state-files.ts';
import type { SandboxTransport, TransportProcess } from './transport.ts';

/** The shells that commands can be run by. */
export type CommandShell = 'bash' | 'sh';

/** What a {@link DirectRunner} is made of. */
export interface DirectRunnerParts {
  readonly transport: SandboxTransport;
  readonly shell: CommandShell;
  readonly stateFolder: string;
  readonly clock: Clock;
  /** What stands in the state folder as `environment`, to be put there again where a program has removed it. */
  readonly environment?: string | undefined;
}

const maxBesideAtOnce = 8;

/** Starts a process of the transport for every command: where no launcher can stand ready, or standard error comes apart. */
export class DirectRunner implements CommandRunner {
  readonly #parts: DirectRunnerParts;
  readonly #beside: Semaphore = createSemaphore(maxBesideAtOnce);
  readonly facts: readonly string[];

  constructor(parts: DirectRunnerParts, facts: readonly string[] = []) {
    this.#parts = parts;
    this.facts = facts;
  }

  get stateFolder(): string {
    return this.#parts.stateFolder;
  }

  async runInOrder(request: ChannelRequest, options: SendOptions): Promise<ChannelOutcome> {
    const outcome = await this.#send(request, options);
    const { environment, transport, clock } = this.#parts;
    if (outcome.kind !== 'no-state' || environment === undefined) return outcome;
    // A program has removed the state, and nothing was started: once more, from the first state on.
    const { signal } = options;
    await putStateFile({ transport, clock, signal }, `${this.stateFolder}/environment`, environment);
    return await this.#send(request, options);
  }

  async #send(request: ChannelRequest, { signal, onStart, abandoned }: SendOptions): Promise<ChannelOutcome> {
    const { transport, shell, clock } = this.#parts;
    const nonce = randomBytes(16).toString('hex');
    const pathOf = (kind: 'call' | 'command' | 'input') => `${this.stateFolder}/${kind}-${request.execId}`;
    const { file, stdin, maxOutputBytes } = request;
    const inputFile = transport.isInteractive || stdin === undefined ? undefined : pathOf('input');
    const script = callScript(request, { nonce, shell, folder: this.stateFolder, inputFile });
    const parts = [{ path: pathOf('call'), content: script }];
    if (file !== undefined) parts.push({ path: pathOf('command'), content: file });
    const inputs = inputFile === undefined ? [] : [{ path: inputFile, content: stdin ?? '' }];
    const files = await placeFiles({ transport, clock, signal }, [...parts, ...inputs]);
    signal.throwIfAborted();
    onStart();
    const started = await startOrClose(transport, {
      words: [...shellWords[shell], pathOf('call')],
      hasStdin: stdin !== undefined && inputFile === undefined,
      mergesStderr: request.hearStderr === undefined,
      wanted: maxOutputBytes === undefined ? undefined : { kind: 'ends', maxBytes: maxOutputBytes },
      files,
      signal: abandoned,
    });
    try {
      started.stdin?.on('error', () => undefined).end(stdin);
      return await raceAbort(readOutcome(started, nonce, request, clock), abandoned);
    } finally {
      started.close();
    }
  }

  async runBeside(request: ChannelRequest, options: SendOptions): Promise<ChannelOutcome> {
    using _place = await this.#beside.acquire(options.signal);
    return await this.runInOrder(request, options);
  }

  retire(): void {
    // Nothing stands ready.
  }

  close(): void {
    // Every command has a process of its own, which is let go of when its call ends.
  }
}

/** How each shell is called, so that no profile of the sandbox has a say. */
export const shellWords: Readonly<Record<CommandShell, readonly string[]>> = {
  bash: ['bash', '--noprofile', '--norc'],
  sh: ['sh'],
};

/** The script that runs a command and writes the end of the answer, as the launcher does. */
function callScript(
  { text, variables, state, folder = '', execId, hearStderr }: ChannelRequest,
  call: {
    readonly nonce: string;
    readonly shell: CommandShell;
    readonly folder: string;
    readonly inputFile: string | undefined;
  },
): string {
  const { nonce, shell, inputFile } = call;
  const place = quoteShell([call.folder]);
  const load = state === null ? '' : `${place}/environment-${state.loadIndex}`;
  const lines = [
    'rm -f -- "$0"',
    // What the shell itself has to say of a command that was killed is none of its output.
    hearStderr === undefined ? 'exec 3>&1 2>/dev/null' : 'exec 3>&2 2>/dev/null',
    `printf '\\036B:${nonce}\\036'`,
    inputFile === undefined ? '' : `exec <${quoteShell([inputFile])} && rm -f ${quoteShell([inputFile])}`,
    `[ -f ${place}/environment ] || { printf '\\036E:${nonce}:no-state:0:\\036Z:${nonce}\\036'; exit; }`,
    state === null ? '' : `[ -f ${load} ] || { rm -rf ${load}; cp ${place}/environment ${load}; }`,
    state === null ? '' : `rm -rf ${place}/environment-${state.saveIndex} ${place}/end`,
    folder === '' ? '' : `started_in=$(cd -P -- ${quoteShell([folder])} 2>/dev/null && pwd)`,
    `(\n{ ${variables || ':'}\n} 2>/dev/null`,
    'exec 2>&3 3>&-',
    `exec ${quoteShell([...shellWords[shell], '-c', text, shell])}\n)`,
    'status=$?',
    state === null ? '' : readEnd(`${place}/end`, quoteShell([execId])),
    `rm -f ${place}/command-${execId}`,
    `printf '\\036E:%s:%s:%s:%s\\036Z:%s\\036' ${nonce} "$status" "\${saved:-0}" "\${ended_in-}" ${nonce}`,
    'exit "$status"',
  ];
  return `${lines.filter((line) => line !== '').join('\n')}\n`;
}

function readEnd(endFile: string, execId: string): string {
  return `if [[ -f ${endFile} ]]; then
  [[ -r ${endFile} ]] || chmod 600 ${endFile} 2>/dev/null
  { IFS= read -r -d '' ended_id; IFS= read -r -d '' ended_in; } <${endFile}
  [[ $ended_id = ${execId} && $ended_in = *$'\\n' ]] && saved=1
  ended_in=\${ended_in%$'\\n'}
  [[ -z \${saved-} || $ended_in = "\${started_in-}" ]] && ended_in=
fi`;
}

/** Reads until the end of the answer; where there is none, the exit code of the process must do. */
function readOutcome(
  started: TransportProcess,
  nonce: string,
  request: ChannelRequest,
  clock: Clock,
): Promise<ChannelOutcome> {
  const reader = createFrameReader(nonce, request.hear);
  if (started.stderr !== null) {
    started.stderr.on('error', () => undefined);
    hearOutput(started.stderr, started.stderrGaps ?? [], {
      take: request.hearStderr ?? (() => undefined),
      skip: request.hearStderrGap ?? (() => undefined),
    });
  }
  return new Promise((resolve) => {
    function finish(end: AnswerEnd): void {
      if (end.status === 'no-state' || end.status === 'no-space') {
        resolve({ kind: end.status });
        return;
      }
      const folder = end.folder === '' ? null : end.folder;
      const outcome = { kind: 'ended' as const, exitCode: Number(end.status), hasSaved: end.hasSaved, folder };
      // Both streams take their own way; what was written to standard error before is about to come.
      if (request.hearStderr === undefined || started.stderr === null) resolve(outcome);
      else settleStderr(started, clock).then(() => resolve(outcome));
    }
    hearOutput(started.stdout, started.gaps ?? [], {
      take(chunk) {
        const end = reader.feed(chunk);
        if (end !== null) finish(end);
      },
      skip(byteCount) {
        if (reader.cutOff()) request.hearGap?.(byteCount);
      },
    });
    started.stdout.once('error', () => resolve({ kind: 'lost', isCutOff: true }));
    const closed = new Promise<void>((settle) => {
      started.stdout.once('end', settle).once('close', settle);
    });
    Promise.all([started.exited, closed]).then(([exitCode]) => {
      if (exitCode === null) resolve({ kind: 'lost', isCutOff: true });
      else resolve({ kind: 'ended', exitCode, hasSaved: false, folder: null });
    });
  });
}

const maxStderrDelayMs = 300;

/** Waits until the process has ended, since its streams are complete then, but not for what holds them in the background. */
async function settleStderr(started: TransportProcess, clock: Clock): Promise<void> {
  const closed = new Promise((settle) => {
    started.stderr?.once('end', settle).once('close', settle);
  });
  await Promise.race([closed, clock.sleep(maxStderrDelayMs, { isBackground: true })]);
}
