import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Clock,
  ConfigError,
  type CreateId,
  createDisposalStack,
  createId as createRandomId,
  type DisposalStack,
  type Logger,
  makeFolder,
  type RunEvent,
  StateError,
  silentLogger,
  systemClock,
  systemErrorCode,
} from '@talaria/core';
import type { Rollout } from '@talaria/trajectories';
import { createEventLog, type EventLog } from './event-log.ts';
import { acquireFolderLock } from './folder-lock.ts';
import { type Journal, openJournal } from './journal.ts';
import type { ResumeReport } from './journal-scan.ts';
import { isTemporaryFile, openManifest } from './manifest-file.ts';
import type { RowKey, SampleKey } from './rollout-index.ts';
import type { RunDescription, RunManifest } from './run-manifest.ts';
import { toStorageError, withStorageErrors } from './storage-error.ts';

/** Temporary files of a killed run are removed once they are so old. */
const temporaryFileAgeMs = 60_000;

/** What {@link openRunFolder} needs. */
export interface RunFolderOptions {
  /** The folder; missing parents are made. */
  readonly path: string;
  /** What the run is. A resumed run must be the same but for `changeableKeys`. */
  readonly manifest: RunDescription;
  /**
   * - `create`: a new run; the folder must be missing or empty.
   * - `resume`: go on with the run that is there.
   * - `create-or-resume`: go on where there is a run, else begin one.
   */
  readonly mode: 'create' | 'resume' | 'create-or-resume';
  /** Dotted keys of the configuration that may differ when resuming, with all below them. @default none */
  readonly changeableKeys?: readonly string[] | undefined;
  /** Names our file in `journal/`. @default 'main' */
  readonly writer?: string | undefined;
  /** @default the real clock */
  readonly clock?: Clock | undefined;
  /** @default silent */
  readonly logger?: Logger | undefined;
  /** @default random */
  readonly createId?: CreateId | undefined;
  /** Stops the opening. What is open is ended by disposing of it. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The folder of one run, owned by this process until disposed of: `manifest.json`, `journal/<writer>.jsonl`,
 * `events.jsonl`, `lock`. What {@link appendRollout} has resolved survives a kill and a loss of power.
 */
export interface RunFolder extends AsyncDisposable {
  readonly path: string;
  readonly runId: string;
  readonly manifest: RunManifest;
  /** Whether the folder held this run before. */
  readonly isResumed: boolean;
  /** What was found in the journals at the opening. */
  readonly resumeReport: ResumeReport;
  /** Records that count, now. */
  readonly rolloutCount: number;
  /**
   * Stores a rollout; resolves once it is on disk. Many at once share one write. Cannot be aborted: it is short, and
   * the work is done.
   *
   * @throws StateError `state.no-space`, `state.not-writable`, `state.duplicate-record`, `state.invalid-record`,
   * `state.record-too-large`, `state.closed`. The record is then not stored; the same call may succeed once the cause is
   * gone.
   */
  appendRollout(rollout: Rollout): Promise<void>;
  /** Whether this attempt at this sample is stored, or being stored. */
  has(key: RowKey): boolean;
  /** Whether some attempt at this sample gave a rollout that is fit for use (`isMasked` is false). */
  isDone(key: SampleKey): boolean;
  /** The highest attempt that is stored for this sample; 0 where there is none. */
  lastAttempt(key: SampleKey): number;
  /** All stored rollouts, in the order in which they were stored, one in memory at a time. */
  rollouts(options?: ReadOptions): AsyncIterable<Rollout>;
  /** The stored rollouts of one item, by sample, then attempt. */
  rolloutsOf(itemKey: string, options?: ReadOptions): Promise<readonly Rollout[]>;
  /** Writes an event to `events.jsonl`, best effort; returns at once. */
  recordEvent(event: RunEvent): void;
}

/** Options of reading. */
export interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
}

/**
 * Opens the folder of a run and takes its lock.
 *
 * @throws ConfigError `config.invalid` for a writer that is no file name
 * @throws StateError `state.exists` (create), `state.missing` (resume), `state.locked`, `state.different-run`,
 * `state.unknown-version`, `state.damaged-manifest`, `state.no-space`, `state.not-writable`
 */
export async function openRunFolder(options: RunFolderOptions): Promise<RunFolder> {
  const { path, mode, logger = silentLogger, clock = systemClock, createId = createRandomId, signal } = options;
  const { writer = 'main', changeableKeys = [] } = options;
  signal?.throwIfAborted();
  checkWriter(writer);
  if (mode === 'resume') await checkFolderExists(path);
  else await withStorageErrors('create', path, () => makeFolder(path));
  const stack = createDisposalStack({ logger });
  try {
    stack.use(await acquireFolderLock(path, { clock, logger, createId, signal }));
    const { manifest, isResumed } = await openManifest(path, options.manifest, {
      mayResume: mode !== 'create',
      changeableKeys,
      runId: createId('run'),
      now: clock.now(),
    });
    await removeOldTemporaryFiles(path, clock.now());
    const events = stack.use(createEventLog(join(path, 'events.jsonl'), logger));
    const journal = stack.use(await openJournal({ folder: join(path, 'journal'), writer, logger, signal }));
    signal?.throwIfAborted();
    return new OpenRunFolder({ path, manifest, isResumed, events, journal, stack });
  } catch (error) {
    await stack[Symbol.asyncDispose]();
    throw error;
  }
}

interface RunFolderParts {
  readonly path: string;
  readonly manifest: RunManifest;
  readonly isResumed: boolean;
  readonly events: EventLog;
  readonly journal: Journal;
  readonly stack: DisposalStack;
}

class OpenRunFolder implements RunFolder {
  readonly path: string;
  readonly manifest: RunManifest;
  readonly isResumed: boolean;
  readonly #events: EventLog;
  readonly #journal: Journal;
  readonly #stack: DisposalStack;

  constructor(parts: RunFolderParts) {
    this.path = parts.path;
    this.manifest = parts.manifest;
    this.isResumed = parts.isResumed;
    this.#events = parts.events;
    this.#journal = parts.journal;
    this.#stack = parts.stack;
  }

  get runId(): string {
    return this.manifest.runId;
  }

  get resumeReport(): ResumeReport {
    return this.#journal.report;
  }

  get rolloutCount(): number {
    return this.#journal.index.count;
  }

  appendRollout(rollout: Rollout): Promise<void> {
    return this.#journal.append(rollout);
  }

  has(key: RowKey): boolean {
    return this.#journal.index.has(key);
  }

  isDone(key: SampleKey): boolean {
    return this.#journal.index.isDone(key);
  }

  lastAttempt(key: SampleKey): number {
    return this.#journal.index.lastAttempt(key);
  }

  rollouts(options: ReadOptions = {}): AsyncIterable<Rollout> {
    return this.#journal.readAll(options.signal);
  }

  rolloutsOf(itemKey: string, options: ReadOptions = {}): Promise<readonly Rollout[]> {
    return this.#journal.readItem(itemKey, options.signal);
  }

  recordEvent(event: RunEvent): void {
    this.#events.record(event);
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#stack[Symbol.asyncDispose]();
  }
}

function checkWriter(writer: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(writer)) return;
  throw new ConfigError(`The writer ${JSON.stringify(writer)} is no name of a file`, {
    code: 'config.invalid',
    hint: 'Use at most 100 letters, digits, dots, hyphens and underscores.',
  });
}

async function checkFolderExists(path: string): Promise<void> {
  try {
    await stat(path);
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw toStorageError(error, 'read', path);
    throw new StateError(`There is no run to resume: ${path} does not exist`, {
      code: 'state.missing',
      hint: 'Check the path, or start a new run without resuming.',
      cause: error,
    });
  }
}

/** Leftovers of killed runs. A process that waits for our lock has one too, but a young one, and may remove it itself. */
async function removeOldTemporaryFiles(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!isTemporaryFile(name)) continue;
    const path = join(folder, name);
    const modifiedAt = await modifiedAtMs(path);
    if (modifiedAt !== undefined && now - modifiedAt > temporaryFileAgeMs) await rm(path, { force: true });
  }
}

async function modifiedAtMs(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
