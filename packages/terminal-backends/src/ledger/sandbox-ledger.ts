import { open, readdir, readFile, rename, rm, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, type JsonObject, makeFolder, parseJson, systemErrorCode } from '@talaria/core';
import { nullWhereMissing } from '../host-files/path-stats.ts';
import { machineMark } from './machine-mark.ts';
import { parseOwner, type SandboxOwner } from './sandbox-owner.ts';

/** What is on disk about a sandbox from before it is made until after it is gone. */
export interface LedgerEntry {
  readonly version: 1;
  readonly id: string;
  /** Kind of its backend; each one looks after its own. */
  readonly backend: string;
  /** Where that backend made it, for example the address of an engine; `''` on this machine. */
  readonly place: string;
  readonly taskId: string;
  readonly owner: SandboxOwner;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** When its life ends at the latest, in milliseconds since 1970; `Infinity` for never. */
  readonly expiresAt: number;
}

/** An entry that was found. */
export interface FoundEntry {
  readonly id: string;
  /** `null` where it cannot be read. */
  readonly entry: LedgerEntry | null;
  /**
   * Why it cannot: `torn` where a crash left no whole text; `foreign` where the text is whole and says what this version
   * does not know, as that of a later one may.
   */
  readonly fault: 'torn' | 'foreign' | null;
  /** When its file was last written, in milliseconds since 1970. */
  readonly writtenAt: number;
}

const suffix = '.json';
/** Name of an entry that is being written: it tells by whom, since its text may be torn. */
const pendingName = /^pending-([0-9a-f]+)-(\d+)-.+$/;

/** An entry that somebody is writing, or was when they died. No sandbox exists yet. */
export interface PendingEntry {
  readonly name: string;
  readonly machine: string;
  readonly pid: number;
  readonly writtenAt: number;
}

/** The folder with one file per sandbox, whatever its backend, and the own folders of those that are on this machine. */
export interface SandboxLedger {
  /** Where a sandbox lives. */
  folderOf(id: string): string;
  /** Writes an entry; it is on the disk when this resolves. */
  add(entry: LedgerEntry): Promise<void>;
  /** Takes one away; says whether it was there. */
  remove(id: string): Promise<boolean>;
  list(): Promise<readonly FoundEntry[]>;
  listPending(): Promise<readonly PendingEntry[]>;
  removePending(name: string): Promise<void>;
}

/** Opens the ledger below a state folder; the backends of a program share it. */
export function createSandboxLedger(stateFolder: string): SandboxLedger {
  const folder = join(stateFolder, 'sandboxes');
  const fileOf = (id: string) => join(folder, `${id}${suffix}`);

  return {
    folderOf: (id) => join(folder, id),
    async add(entry) {
      await makeFolder(folder, { mode: 0o700 });
      const pending = join(folder, `pending-${await machineMark()}-${process.pid}-${entry.id}`);
      try {
        await writeDurably(pending, `${JSON.stringify(entry)}\n`);
        await rename(pending, fileOf(entry.id));
      } catch (error) {
        await rm(pending, { force: true });
        throw error;
      }
      // The name of a new file is durable only once its folder is.
      await using directory = await open(folder, 'r');
      await directory.sync();
    },
    remove: (id) => isThere(unlink(fileOf(id))),
    async list() {
      const names = await readdir(folder).catch(emptyWhereMissing);
      const found = await Promise.all(
        names
          .filter((name) => name.endsWith(suffix))
          .map((name) => readEntry(join(folder, name), name.slice(0, -suffix.length))),
      );
      return found.filter((entry) => entry !== null);
    },
    async listPending() {
      const names = await readdir(folder).catch(emptyWhereMissing);
      const found = await Promise.all(names.map((name) => readPending(folder, name)));
      return found.filter((entry) => entry !== null);
    },
    async removePending(name) {
      await rm(join(folder, name), { force: true });
    },
  };
}

async function writeDurably(path: string, text: string): Promise<void> {
  await using file = await open(path, 'wx', 0o600);
  await file.writeFile(text);
  await file.sync();
}

async function readPending(folder: string, name: string): Promise<PendingEntry | null> {
  const [, machine, pid] = pendingName.exec(name) ?? [];
  if (machine === undefined) return null;
  const stats = await stat(join(folder, name)).catch(nullWhereMissing);
  return stats === null ? null : { name, machine, pid: Number(pid), writtenAt: stats.mtimeMs };
}

async function readEntry(path: string, id: string): Promise<FoundEntry | null> {
  try {
    const { mtimeMs } = await stat(path);
    const parsed = parseJson(await readFile(path, 'utf8'));
    const about = { id, writtenAt: mtimeMs };
    if (!parsed.ok || !isJsonObject(parsed.value)) return { ...about, entry: null, fault: 'torn' };
    const entry = readWhole(parsed.value, id);
    return { ...about, entry, fault: entry === null ? 'foreign' : null };
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

function readWhole(value: JsonObject, id: string): LedgerEntry | null {
  const owner = parseOwner(value['owner']);
  const { taskId, createdAt, backend, place } = value;
  // JSON has no Infinity.
  const expiresAt = value['expiresAt'] === null ? Number.POSITIVE_INFINITY : value['expiresAt'];
  if (value['version'] !== 1 || value['id'] !== id || owner === null) return null;
  if (typeof backend !== 'string' || typeof place !== 'string') return null;
  if (typeof taskId !== 'string' || typeof createdAt !== 'number' || typeof expiresAt !== 'number') return null;
  return { version: 1, id, backend, place, taskId, owner, createdAt, expiresAt };
}

function emptyWhereMissing(error: unknown): string[] {
  if (systemErrorCode(error) === 'ENOENT') return [];
  throw error;
}

async function isThere(action: Promise<unknown>): Promise<boolean> {
  try {
    await action;
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return false;
    throw error;
  }
}
