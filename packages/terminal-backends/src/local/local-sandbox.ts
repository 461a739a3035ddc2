import { setMaxListeners } from 'node:events';
import { rename } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { isAbortOf, makeFolder, type SandboxError, settleWithin, systemErrorCode } from '@talaria/core';
import { checkLimits } from '../check-limits.ts';
import type {
  BackendKind,
  DirectoryEntry,
  FileContent,
  FileOptions,
  FileStat,
  ReadFileOptions,
  RunOptions,
  RunResult,
  Sandbox,
  SandboxCapabilities,
  SandboxProcess,
  SpawnOptions,
  TransferOptions,
  TransferResult,
  WriteFileOptions,
} from '../sandbox.ts';
import { copyTree } from './copy-tree.ts';
import { endProcesses } from './end-processes.ts';
import {
  isOrHolds,
  listFolder,
  lstatOrNull,
  openFileStream,
  readFileRange,
  realEntry,
  statPath,
  writeFileAtomically,
} from './file-access.ts';
import { type CommandPlace, LocalCommands } from './local-commands.ts';
import { inFileOperation, localError } from './local-error.ts';
import { removeTree } from './remove-tree.ts';
import { resolveSandboxPath } from './sandbox-path.ts';

/** What a local sandbox is made of. */
export interface LocalSandboxParts {
  readonly place: CommandPlace;
  readonly capabilities: SandboxCapabilities;
  /** Holds everything of the sandbox, and is removed with it. */
  readonly folder: string;
  readonly temporaryFolder: string;
  readonly cwd: string;
  readonly maxLifetimeMs: number;
  /** Called once everything is gone. */
  readonly forget: () => Promise<void>;
}

type Phase = SandboxError['phase'];

/** How long work that is under way may take to notice that its sandbox ends. */
const maxSettleMs = 15_000;
const maxRemovalMs = 30_000;

/** A folder of its own on this machine, and the processes that were started for it. */
export class LocalSandbox implements Sandbox {
  readonly kind: BackendKind = 'local';
  readonly #parts: LocalSandboxParts;
  readonly #commands: LocalCommands;
  readonly #ending = new AbortController();
  readonly #inFlight = new Set<Promise<unknown>>();
  #hasExpired = false;
  #disposal: Promise<void> | undefined;

  constructor(parts: LocalSandboxParts) {
    this.#parts = parts;
    // Every call under way listens, and there may be many.
    setMaxListeners(0, this.#ending.signal);
    this.#commands = new LocalCommands(parts.place, parts.cwd);
    parts.place.tools.clock
      .sleep(parts.maxLifetimeMs, { isBackground: true, signal: this.#ending.signal })
      .then(() => this.#expire())
      .catch((error: unknown) => {
        if (error !== this.#ending.signal.reason) throw error;
      });
  }

  get id(): string {
    return this.#parts.place.sandboxId;
  }

  get capabilities(): SandboxCapabilities {
    return this.#parts.capabilities;
  }

  get home(): string {
    return this.#parts.place.home;
  }

  get temporaryFolder(): string {
    return this.#parts.temporaryFolder;
  }

  get cwd(): string {
    return this.#commands.cwd;
  }

  run(command: string, options: RunOptions = {}): Promise<RunResult> {
    return this.#use('exec', options.signal, (signal) => this.#commands.run(command, options, signal));
  }

  runProgram(words: readonly string[], options: RunOptions = {}): Promise<RunResult> {
    return this.#use('exec', options.signal, (signal) => this.#commands.runProgram(words, options, signal));
  }

  spawn(command: string, options: SpawnOptions = {}): Promise<SandboxProcess> {
    return this.#use('exec', options.signal, (signal) => this.#commands.spawn(command, options, signal));
  }

  resolvePath(path: string): Promise<string> {
    return resolveSandboxPath(path, this.cwd, this.home);
  }

  async readFile(path: string, options: ReadFileOptions = {}): Promise<FileContent> {
    checkLimits(options);
    return await this.#onFile('read', path, options, (absolute, signal) =>
      readFileRange(absolute, { ...options, signal }),
    );
  }

  writeFile(path: string, bytes: string | Uint8Array, options: WriteFileOptions = {}): Promise<void> {
    const content = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
    return this.#onFile('write', path, options, (absolute, signal) =>
      writeFileAtomically(absolute, content, { ...options, signal }),
    );
  }

  stat(path: string, options: FileOptions & { readonly isLink?: boolean | undefined } = {}): Promise<FileStat | null> {
    return this.#onFile('look at', path, options, (absolute) => statPath(absolute, options.isLink ?? false));
  }

  list(path: string, options: FileOptions = {}): Promise<readonly DirectoryEntry[]> {
    return this.#onFile('list', path, options, listFolder);
  }

  makeDirectory(path: string, options: FileOptions = {}): Promise<boolean> {
    return this.#onFile('make the folder', path, options, (absolute) => makeFolder(absolute));
  }

  remove(path: string, options: FileOptions = {}): Promise<boolean> {
    return this.#onFile('remove', path, options, async (absolute) => {
      const real = await realEntry(absolute);
      if (real === null) return false;
      this.#refuseHolder(real);
      await removeTree(real);
      return true;
    });
  }

  move(from: string, to: string, options: FileOptions = {}): Promise<void> {
    return this.#onFile('move', from, options, async (absolute) => {
      const real = await realEntry(absolute);
      if (real !== null) this.#refuseHolder(real);
      await rename(absolute, await this.resolvePath(to));
    });
  }

  async upload(hostPath: string, path: string, options: TransferOptions = {}): Promise<TransferResult> {
    checkLimits(options);
    return await this.#onFile('upload to', path, options, (absolute, signal) =>
      copyTree(hostPath, absolute, { ...options, signal }),
    );
  }

  async download(path: string, hostPath: string, options: TransferOptions = {}): Promise<TransferResult> {
    checkLimits(options);
    return await this.#onFile('download', path, options, (absolute, signal) =>
      copyTree(absolute, hostPath, { ...options, signal }),
    );
  }

  openRead(path: string, options: FileOptions = {}): Promise<Readable> {
    return this.#onFile('read', path, options, openFileStream);
  }

  async ping(options: FileOptions = {}): Promise<boolean> {
    return !this.#ending.signal.aborted && !options.signal?.aborted && (await this.#isThere());
  }

  async killAll(): Promise<void> {
    await this.#endAll();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#disposal ??= this.#dispose();
    return this.#disposal;
  }

  async #dispose(): Promise<void> {
    const { logger, pool } = this.#parts.place.tools;
    this.#ending.abort(this.#endedError('dispose', true));
    await settleWithin(async () => void (await Promise.allSettled(this.#inFlight)), maxSettleMs, logger);
    let survivorCount = 0;
    const killing = await settleWithin(
      async () => {
        survivorCount = await this.#endAll();
      },
      maxSettleMs,
      logger,
    );
    pool[Symbol.dispose]();
    const removal = await settleWithin(() => removeTree(this.#parts.folder), maxRemovalMs, logger);
    // What could not be ended or removed stays in the ledger, for a sweep.
    if (killing === 'done' && survivorCount === 0 && removal === 'done') {
      await settleWithin(() => this.#parts.forget(), maxRemovalMs, logger);
    }
    logger.debug('sandbox.closed', { sandboxId: this.id });
  }

  /** Ends every process that was started here; gives the number of those that could not be ended. */
  async #endAll(): Promise<number> {
    if (!this.#commands.hasStarted) return 0;
    const { sandboxId, tools } = this.#parts.place;
    const mark = { sandboxIds: [sandboxId], folders: [this.#parts.folder] };
    return (await endProcesses(mark, { ...tools, graceMs: tools.killGraceMs })).length;
  }

  async #expire(): Promise<void> {
    this.#hasExpired = true;
    const { logger } = this.#parts.place.tools;
    logger.warn('sandbox.expired', { sandboxId: this.id, maxLifetimeMs: this.#parts.maxLifetimeMs });
    this.#ending.abort(this.#endedError('dispose', true));
    await settleWithin(() => this.killAll(), maxSettleMs, logger);
  }

  #onFile<Result>(
    action: string,
    path: string,
    options: FileOptions,
    work: (absolute: string, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    return this.#use('transfer', options.signal, (signal) =>
      inFileOperation(action, path, signal, async () => {
        // Else a write would make a folder of that name again.
        if (!(await this.#isThere())) throw this.#removedError('transfer', undefined);
        return await work(await this.resolvePath(path), signal);
      }),
    );
  }

  /** Every use of the sandbox: refused once it has ended, ended with it, and waited for when it is disposed of. */
  async #use<Result>(
    phase: Phase,
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    signal?.throwIfAborted();
    const ending = this.#ending.signal;
    if (ending.aborted) throw this.#endedError(phase, false);
    const running = work(signal === undefined ? ending : AbortSignal.any([signal, ending]));
    this.#inFlight.add(running);
    try {
      const result = await running;
      if (ending.aborted && isInterrupted(result) && !signal?.aborted) throw ending.reason;
      return result;
    } catch (error) {
      if (ending.aborted && error === ending.reason) throw this.#endedError(phase, true);
      if (isAbortOf(error, signal) || systemErrorCode(error) === 'sandbox.lost' || (await this.#isThere())) throw error;
      throw this.#removedError(phase, error);
    } finally {
      this.#inFlight.delete(running);
    }
  }

  /** Whether its folder is still there: a program of another sandbox, or a person, may have removed it. */
  async #isThere(): Promise<boolean> {
    return (await lstatOrNull(this.#parts.place.stateFolder).catch(() => null)) !== null;
  }

  #removedError(phase: Phase, cause: unknown): SandboxError {
    return localError(`The folder of the sandbox ${this.id} is gone: ${this.#parts.folder}`, {
      code: 'sandbox.lost',
      phase,
      started: true,
      hint: 'Find out what removed it, and start again with a new sandbox.',
      cause,
    });
  }

  #endedError(phase: Phase, started: boolean): SandboxError {
    if (this.#hasExpired) {
      return localError(`The sandbox ${this.id} has lived for its ${this.#parts.maxLifetimeMs} ms and was ended`, {
        code: 'sandbox.lost',
        phase,
        started,
        hint: 'Raise maxLifetimeMs (terminal_lifetime), or do less in one sandbox.',
      });
    }
    return localError(`The sandbox ${this.id} is closed`, {
      code: 'sandbox.closed',
      phase,
      started,
      hint: 'Use it before whoever opened it disposes of it.',
    });
  }

  /** Nothing in a sandbox may take away what holds it, and with it the rest of the machine. */
  #refuseHolder(path: string): void {
    if (!isOrHolds(path, this.#parts.folder)) return;
    throw localError(`${JSON.stringify(path)} holds the sandbox itself`, {
      code: 'sandbox.unsafe-path',
      phase: 'transfer',
      started: false,
      hint: 'Remove or move files inside the sandbox, or dispose of the sandbox.',
    });
  }
}

function isInterrupted(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'kind' in result && result.kind === 'interrupted';
}
