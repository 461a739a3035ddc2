import { rename } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { makeFolder, type SandboxError, settleWithin, systemErrorCode } from '@talaria/core';
import { checkLimits } from '../check-limits.ts';
import { lstatOrNull } from '../host-files/path-stats.ts';
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
import { SandboxLife } from '../sandbox-life.ts';
import { copyTree } from './copy-tree.ts';
import { endProcesses } from './end-processes.ts';
import {
  isOrHolds,
  listFolder,
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

const maxSettleMs = 15_000;
const maxRemovalMs = 30_000;

/** A folder of its own on this machine, and the processes that were started for it. */
export class LocalSandbox implements Sandbox {
  readonly kind: BackendKind = 'local';
  readonly #parts: LocalSandboxParts;
  readonly #commands: LocalCommands;
  readonly #life: SandboxLife;

  constructor(parts: LocalSandboxParts) {
    this.#parts = parts;
    this.#commands = new LocalCommands(parts.place, parts.cwd);
    const { clock, logger } = parts.place.tools;
    this.#life = new SandboxLife({
      kind: this.kind,
      id: this.id,
      maxLifetimeMs: parts.maxLifetimeMs,
      clock,
      logger,
      onExpire: () => this.killAll(),
      explain: async (error, phase) =>
        systemErrorCode(error) === 'sandbox.lost' || (await this.#isThere()) ? error : this.#removedError(phase, error),
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
    return this.#life.use('exec', options.signal, (signal) => this.#commands.run(command, options, signal));
  }

  runProgram(words: readonly string[], options: RunOptions = {}): Promise<RunResult> {
    return this.#life.use('exec', options.signal, (signal) => this.#commands.runProgram(words, options, signal));
  }

  spawn(command: string, options: SpawnOptions = {}): Promise<SandboxProcess> {
    return this.#life.use('exec', options.signal, (signal) => this.#commands.spawn(command, options, signal));
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
    return this.#life.isLive && !options.signal?.aborted && (await this.#isThere());
  }

  async killAll(): Promise<void> {
    await this.#endAll();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#life.dispose(() => this.#close());
  }

  async #close(): Promise<void> {
    const { logger, pool } = this.#parts.place.tools;
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
  }

  /** Ends every process that was started here; gives the number of those that could not be ended. */
  async #endAll(): Promise<number> {
    if (!this.#commands.hasStarted) return 0;
    const { sandboxId, tools } = this.#parts.place;
    const mark = { sandboxIds: [sandboxId], folders: [this.#parts.folder] };
    return (await endProcesses(mark, { ...tools, graceMs: tools.killGraceMs })).length;
  }

  #onFile<Result>(
    action: string,
    path: string,
    options: FileOptions,
    work: (absolute: string, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    return this.#life.use('transfer', options.signal, (signal) =>
      inFileOperation(action, path, signal, async () => {
        // Else a write would make a folder of that name again.
        if (!(await this.#isThere())) throw this.#removedError('transfer', undefined);
        return await work(await this.resolvePath(path), signal);
      }),
    );
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
