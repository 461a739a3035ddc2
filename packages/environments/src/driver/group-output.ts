import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join, parse, relative, resolve, sep } from 'node:path';
import { createInterface } from 'node:readline';
import { isJsonObject, type JsonObject, type JsonValue, type Logger, parseJson, systemErrorCode } from '@talaria/core';
import { type LineWriter, openLineWriter, type RunFolder, writeAtomic } from '@talaria/run-store';
import { type Rollout, renderGroupsHtml, toGroupLine, toRolloutRow } from '@talaria/trajectories';
import { closeWriter } from './close-writer.ts';

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
export interface GroupOutput extends AsyncDisposable {
  /** Absolute; `null` until there is a file. */
  readonly path: string | null;
  /** Writes a group, unless the file of a resumed run holds it already. */
  write(rollouts: readonly Rollout[]): Promise<void>;
  /** Writes the page that shows the file; gives its path, or `null` where there is no file. */
  writePage(signal: AbortSignal | undefined): Promise<string | null>;
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
  let path = folder.isResumed ? await readNote(folder.path) : null;
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
    async writePage(signal) {
      await (await opening)?.flush();
      if (path === null) return null;
      const { dir, name } = parse(path);
      const pagePath = join(dir, `${name}.html`);
      const page = renderGroupsHtml(readGroups(path, rows), {
        title: basename(path),
        onSkip: ({ lineNumber, reason }) => logger.warn('output.line-not-shown', { path, lineNumber, reason }),
      });
      await writeAtomic(pagePath, page, { signal });
      return pagePath;
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

/** The lines of a file as groups: a rollout of its own is a group of one. */
async function* readGroups(path: string, rows: GroupOutputOptions['rows']): AsyncGenerator<string | JsonObject> {
  for await (const line of readLines(path)) {
    const parsed = rows === 'rollout' ? parseJson(line) : undefined;
    if (parsed?.ok !== true || !isJsonObject(parsed.value)) yield line;
    else {
      const { messages = [], reward = null, group_id, group_index } = parsed.value;
      yield { messages: [messages], scores: [reward], meta: { group_id, index: group_index } };
    }
  }
}

/** A file that somebody removed in the meantime has no lines. */
async function* readLines(path: string): AsyncGenerator<string> {
  const stream = createReadStream(path, 'utf8');
  try {
    yield* createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY });
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
  } finally {
    stream.destroy();
  }
}
