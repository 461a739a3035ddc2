import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import {
  type Clock,
  ConfigError,
  type CreateId,
  createId,
  errorMessage,
  makeFolder,
  StateError,
  systemClock,
  systemErrorCode,
} from '@talaria/core';
import { decodeEntry, encodeEntry, type ReplayOutcome, type ReplayRequest, replayKey } from './replay-entry.ts';
import { indexFolder, type LinePlace, readLine } from './replay-index.ts';

/** `record`: what was answered before is not asked again, everything else is kept. `replay`: nothing is asked. */
export type ReplayMode = 'record' | 'replay';

/** Answers of providers, kept in a folder. Disposing waits for what is being written. */
export interface ReplayStore extends AsyncDisposable {
  readonly mode: ReplayMode;
  /** What was answered, if it was recorded. */
  find(asked: ReplayRequest): Promise<ReplayOutcome | undefined>;
  /** Keeps an answer, unless there is one already; gives the one that is kept. */
  add(asked: ReplayRequest, answered: ReplayOutcome): Promise<ReplayOutcome>;
}

/** What {@link openReplayStore} takes. */
export interface ReplayStoreOptions {
  readonly mode: ReplayMode;
  /** Absolute path. Made where it is missing, to record. Several stores and processes may record in it at once. */
  readonly folder: string;
  /** @default the real clock */
  readonly clock?: Clock | undefined;
  /** Names the file that is recorded to. @default random */
  readonly createId?: CreateId | undefined;
}

/**
 * Opens a folder of recorded answers. Each store writes to a file of its own, one line per answer, so that no two disturb
 * each other; a writer that is killed loses at most the line that it was writing. Lines that other stores write
 * meanwhile are seen by stores that are opened later.
 *
 * @throws ConfigError `config.invalid`; StateError `state.not-found` where there is nothing to replay, `state.not-writable`
 */
export async function openReplayStore(options: ReplayStoreOptions): Promise<ReplayStore> {
  const { mode, folder, clock = systemClock, createId: newId = createId } = options;
  if (!isAbsolute(folder)) {
    throw new ConfigError(`The folder of recorded answers is not absolute: ${JSON.stringify(folder)}`, {
      code: 'config.invalid',
      hint: 'Give the absolute path of a folder.',
    });
  }
  const index = await openIndex(mode, folder);
  const path = join(folder, `${newId('web')}.jsonl`);
  let file: FileHandle | undefined;
  let size = 0;
  let lastWrite: Promise<unknown> = Promise.resolve();

  async function find(asked: ReplayRequest): Promise<ReplayOutcome | undefined> {
    const place = index.get(replayKey(asked));
    return place === undefined ? undefined : decodeEntry(await readLine(place));
  }

  async function write(asked: ReplayRequest, answered: ReplayOutcome): Promise<ReplayOutcome> {
    const kept = await find(asked);
    if (kept !== undefined) return kept;
    const line = Buffer.from(encodeEntry(asked, answered, clock.now()));
    try {
      file ??= await open(path, 'ax', 0o600);
      await file.appendFile(line);
    } catch (cause) {
      // What was written of the line ends here, so that the next one is whole.
      await file?.appendFile('\n').catch(() => undefined);
      size = (await file?.stat().catch(() => undefined))?.size ?? size;
      throw notWritable(path, cause);
    }
    index.set(replayKey(asked), { path, offset: size, length: line.length });
    size += line.length;
    return answered;
  }

  return {
    mode,
    find,
    add(asked, answered) {
      const writing = lastWrite.then(() => write(asked, answered));
      lastWrite = writing.catch(() => undefined);
      return writing;
    },
    async [Symbol.asyncDispose]() {
      await lastWrite;
      const closing = file;
      file = undefined;
      await closing?.close();
    },
  };
}

async function openIndex(mode: ReplayMode, folder: string): Promise<Map<string, LinePlace>> {
  try {
    if (mode === 'record') await makeFolder(folder, { mode: 0o700 });
    return await indexFolder(folder);
  } catch (cause) {
    if (mode === 'record') throw notWritable(folder, cause);
    const isMissing = systemErrorCode(cause) === 'ENOENT';
    throw new StateError(`The recorded answers in ${folder} cannot be read: ${errorMessage(cause)}`, {
      code: isMissing ? 'state.not-found' : 'state.not-readable',
      hint: isMissing ? 'Record some first, or choose another folder.' : 'Check the permissions of the folder.',
      cause,
    });
  }
}

function notWritable(path: string, cause: unknown): StateError {
  return new StateError(`Answers cannot be recorded in ${path}: ${errorMessage(cause)}`, {
    code: 'state.not-writable',
    hint: 'Choose a folder that this user may write to, and make sure that the disk is not full.',
    cause,
  });
}
