import { readFile, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { isJsonObject, type JsonObject, type JsonValue, type Logger, parseJson, systemErrorCode } from '@talaria/core';
import { type LineWriter, openLineWriter, type RunFolder, writeAtomic } from '@talaria/run-store';
import { type Rollout, toGroupLine, toRolloutRow } from '@talaria/trajectories';
import { closeWriter } from '../output/close-writer.ts';
import { readLines, type ShownOutput } from '../output/trajectory-page.ts';

/** Options of {@link openGroupOutput}. */
export interface GroupOutputOptions {
  readonly folder: RunFolder;
  /** Absolute path that is wished for. */
  readonly path: string;
  /** What a line is. */
  readonly rows: 'group' | 'rollout';
  readonly logger: Logger;
}

/** The JSONL file of accepted groups. It is opened with the first of them. */
export interface GroupOutput extends ShownOutput, AsyncDisposable {
  /** Writes a group, unless the file of a resumed run holds it already. */
  write(rollouts: readonly Rollout[]): Promise<void>;
}

/**
 * Where the run folder notes which file the run writes: with the first free suffix it need not be the wished one. A file
 * inside the folder is noted by its place there, so that a copied or moved folder goes on in its own.
 */
const noteFileName = 'output.json';

/** Opens the output of a run; a resumed one goes on in the file that it began. */
export async function openGroupOutput(options: GroupOutputOptions): Promise<GroupOutput> {
  const { folder, rows, logger } = options;
  const notePath = join(folder.path, noteFileName);
  let path = folder.isResumed
    ? ((await readNote(folder.path)) ?? (await findUnnoted(folder.path, options.path)))
    : null;
  const written = path === null ? new Set<string>() : await readKeys(path, rows);
  let opening: Promise<LineWriter> | undefined;

  async function open(): Promise<LineWriter> {
    if (path !== null) return openLineWriter(path, { resume: true, logger });
    const writer = await openLineWriter(options.path, { logger });
    path = writer.path;
    await writeAtomic(notePath, `${JSON.stringify({ path: placeFrom(folder.path, path) })}\n`);
    return writer;
  }

  async function append(key: string, line: JsonObject): Promise<void> {
    if (written.has(key)) return;
    written.add(key);
    opening ??= open();
    await (await opening).append(line);
  }

  return {
    get path() {
      return path;
    },
    async write(rollouts) {
      const [first] = rollouts;
      if (first === undefined) return;
      if (rows === 'group') await append(first.groupId, toGroupLine(rollouts));
      else for (const rollout of rollouts) await append(rollout.rolloutId, toRolloutRow(rollout));
    },
    async flush() {
      await (await opening)?.flush();
    },
    async [Symbol.asyncDispose]() {
      await closeWriter(opening);
    },
  };
}

function placeFrom(folderPath: string, path: string): string {
  const place = relative(folderPath, path);
  return place === '..' || place.startsWith(`..${sep}`) ? path : place;
}

async function readNote(folderPath: string): Promise<string | null> {
  try {
    const parsed = parseJson(await readFile(join(folderPath, noteFileName), 'utf8'));
    const path = parsed.ok && isJsonObject(parsed.value) ? parsed.value['path'] : undefined;
    return typeof path === 'string' ? resolve(folderPath, path) : null;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/**
 * The wished file where a killed run made it inside its own folder and had no time to note it: nothing was written to it
 * yet. Outside the folder an empty file may be another run's.
 */
async function findUnnoted(folderPath: string, wishedPath: string): Promise<string | null> {
  if (placeFrom(folderPath, wishedPath) === wishedPath) return null;
  try {
    return (await stat(wishedPath)).size === 0 ? wishedPath : null;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Keys of the lines that a file holds; a torn last line is none, since it will be cut off. */
async function readKeys(path: string, rows: GroupOutputOptions['rows']): Promise<Set<string>> {
  const keys = new Set<string>();
  for await (const line of readLines(path)) {
    const parsed = parseJson(line);
    const key = parsed.ok ? keyOf(parsed.value, rows) : undefined;
    if (typeof key === 'string') keys.add(key);
  }
  return keys;
}

function keyOf(line: JsonValue, rows: GroupOutputOptions['rows']): JsonValue | undefined {
  if (!isJsonObject(line)) return undefined;
  if (rows === 'rollout') return line['rollout_id'];
  return isJsonObject(line['meta']) ? line['meta']['group_id'] : undefined;
}
