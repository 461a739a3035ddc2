import type { Readable } from 'node:stream';
import { isTalariaError, type SandboxError, systemErrorCode } from '@talaria/core';
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
import type { RemoteFiles } from './files/remote-files.ts';
import type { KillTarget } from './killer.ts';
import { RemoteCommands } from './remote-commands.ts';
import { remoteError } from './remote-error.ts';
import type { RemotePlace } from './remote-place.ts';

/** What a remote sandbox is made of. */
export interface RemoteSandboxParts {
  readonly place: RemotePlace;
  readonly files: RemoteFiles;
  readonly capabilities: SandboxCapabilities;
  readonly home: string;
  readonly temporaryFolder: string;
  readonly cwd: string;
  readonly maxLifetimeMs: number;
  /** What `killAll` ends. */
  readonly everything: KillTarget;
  /** Saves the file system; gives the name under which it can be used as an image. */
  readonly saveSnapshot: ((signal: AbortSignal) => Promise<string>) | null;
  /** Takes the sandbox away, for good. Bounded in time; never throws. */
  readonly remove: () => Promise<void>;
}

/** A sandbox that is reached through a transport. */
export class RemoteSandbox implements Sandbox {
  readonly #parts: RemoteSandboxParts;
  readonly #commands: RemoteCommands;
  readonly #life: SandboxLife;
  /** Only where the backend can: who asks for it finds out before. */
  readonly snapshot?: (options?: FileOptions) => Promise<string>;

  constructor(parts: RemoteSandboxParts) {
    this.#parts = parts;
    this.#commands = new RemoteCommands(parts.place, parts.cwd);
    const { clock, logger } = parts.place.tools;
    this.#life = new SandboxLife({
      kind: this.kind,
      id: this.id,
      maxLifetimeMs: parts.maxLifetimeMs,
      clock,
      logger,
      onExpire: () => parts.remove(),
      explain: (error, phase) => this.#explain(error, phase),
    });
    const { saveSnapshot } = parts;
    if (saveSnapshot !== null) {
      this.snapshot = (options = {}) => this.#life.use('transfer', options.signal, (signal) => saveSnapshot(signal));
    }
  }

  get id(): string {
    return this.#parts.place.sandboxId;
  }

  get kind(): BackendKind {
    return this.#parts.place.transport.kind;
  }

  get capabilities(): SandboxCapabilities {
    return this.#parts.capabilities;
  }

  get home(): string {
    return this.#parts.home;
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
    return this.#parts.files.resolvePath(path);
  }

  readFile(path: string, options: ReadFileOptions = {}): Promise<FileContent> {
    return this.#onFile(options, (files, signal) => files.readFile(path, { ...options, signal }));
  }

  writeFile(path: string, bytes: string | Uint8Array, options: WriteFileOptions = {}): Promise<void> {
    return this.#onFile(options, (files, signal) => files.writeFile(path, bytes, { ...options, signal }));
  }

  stat(path: string, options: FileOptions & { readonly isLink?: boolean | undefined } = {}): Promise<FileStat | null> {
    return this.#onFile(options, (files, signal) => files.stat(path, { ...options, signal }));
  }

  list(path: string, options: FileOptions = {}): Promise<readonly DirectoryEntry[]> {
    return this.#onFile(options, (files, signal) => files.list(path, { signal }));
  }

  makeDirectory(path: string, options: FileOptions = {}): Promise<boolean> {
    return this.#onFile(options, (files, signal) => files.makeDirectory(path, { signal }));
  }

  remove(path: string, options: FileOptions = {}): Promise<boolean> {
    return this.#onFile(options, (files, signal) => files.remove(path, { signal }));
  }

  move(from: string, to: string, options: FileOptions = {}): Promise<void> {
    return this.#onFile(options, (files, signal) => files.move(from, to, { signal }));
  }

  upload(hostPath: string, path: string, options: TransferOptions = {}): Promise<TransferResult> {
    return this.#onFile(options, (files, signal) => files.upload(hostPath, path, { ...options, signal }));
  }

  download(path: string, hostPath: string, options: TransferOptions = {}): Promise<TransferResult> {
    return this.#onFile(options, (files, signal) => files.download(path, hostPath, { ...options, signal }));
  }

  openRead(path: string, options: FileOptions = {}): Promise<Readable> {
    return this.#onFile(options, (files, signal) => files.openRead(path, { signal }));
  }

  async ping(options: FileOptions = {}): Promise<boolean> {
    return this.#life.isLive && !options.signal?.aborted && (await this.#parts.place.transport.isAlive(options.signal));
  }

  async killAll(): Promise<void> {
    const { place, everything } = this.#parts;
    // The launchers do not end at a SIGTERM, so that they would be waited for. Else they bear no mark, and are left alone.
    if (everything.mode === 'all') place.runner.retire();
    await place.killer.end(everything, place.tools.killGraceMs);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#life.dispose(async () => {
      this.#parts.place.runner.close();
      await this.#parts.remove();
    });
  }

  #onFile<Result>(
    options: FileOptions,
    work: (files: RemoteFiles, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    return this.#life.use('transfer', options.signal, (signal) => work(this.#parts.files, signal));
  }

  /** Whatever fails because the sandbox is gone says so. A wrong argument says what it says. */
  async #explain(error: unknown, phase: SandboxError['phase']): Promise<unknown> {
    const isOwn = isTalariaError(error) && error.code !== 'sandbox.failed';
    const { transport } = this.#parts.place;
    if (isOwn || systemErrorCode(error) === 'sandbox.lost' || (await transport.isAlive())) return error;
    return remoteError(transport.kind, `The sandbox ${this.id} is gone`, {
      code: 'sandbox.lost',
      phase,
      started: true,
      hint: 'Find out what ended it, and start again with a new sandbox.',
      cause: error,
    });
  }
}
