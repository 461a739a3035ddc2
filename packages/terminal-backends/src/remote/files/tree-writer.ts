import { createHash } from 'node:crypto';
import { chmod, type FileHandle, lstat, mkdir, open, rename, rm, symlink, truncate, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '@talaria/core';
import { createTemporaryFile, temporaryName } from '../../host-files/host-file.ts';
import { lstatOrNull, statOrNull } from '../../host-files/path-stats.ts';
import { remoteError } from '../remote-error.ts';
import type { FileCall } from './file-call.ts';
import { RunningWrites } from './running-writes.ts';
import { type FileBytes, pieceBytes, setStats, type WrittenStats, writeFrom, writeFully } from './write-content.ts';

/** What a path of the tree is, once it was written. */
export type WrittenKind = 'file' | 'directory' | 'link';

const plainFolder: WrittenStats = { mode: 0o755, modifiedAt: null };

/** Up to here a file is held in memory, so that several are written at once. */
const maxSmallBytes = 262_144;

/**
 * Writes a tree that somebody else describes, who may be hostile: nothing is written outside the target, and through no
 * link. Where nothing is at the target, the tree is made under a temporary name and appears there all at once; else each
 * file does. Paths are those of the tree: names with single slashes between them, checked by the caller.
 */
export class TreeWriter implements AsyncDisposable {
  readonly #call: FileCall;
  readonly #target: string;
  /** Where the tree is made: under a temporary name, or the target itself. */
  readonly #base: string;
  readonly #isNew: boolean;
  readonly #kinds = new Map<string, WrittenKind>();
  readonly #folders = new Map<string, WrittenStats>();
  /** Folders that were made; they get their modes and times at the end. */
  readonly #made = new Set<string>();
  readonly #links = new Map<string, string>();
  readonly #writes = new RunningWrites();
  #isFinished = false;

  private constructor(call: FileCall, target: string, base: string) {
    this.#call = call;
    this.#target = target;
    this.#base = base;
    this.#isNew = base !== target;
  }

  /** Prepares the target. @throws SandboxError `sandbox.not-directory`, `sandbox.exists` */
  static async open(call: FileCall, target: string): Promise<TreeWriter> {
    const there = await statOrNull(target);
    if (there?.isDirectory()) {
      const writer = new TreeWriter(call, target, target);
      writer.#kinds.set('', 'directory');
      return writer;
    }
    if (there !== null) throw inTheWay(call, target, 'is no folder', 'sandbox.not-directory');
    if ((await lstatOrNull(target)) !== null) {
      throw inTheWay(call, target, 'is a link that points to nothing', 'sandbox.exists');
    }
    await makeFolder(dirname(target));
    const base = join(dirname(target), temporaryName());
    await mkdir(base, { mode: 0o700 });
    const writer = new TreeWriter(call, target, base);
    writer.#kinds.set('', 'directory');
    writer.#made.add('');
    return writer;
  }

  /** What was written under a path; `undefined` for nothing. */
  kindOf(path: string): WrittenKind | undefined {
    return this.#kinds.get(path);
  }

  /** Every path with its kind, in the order in which they came. */
  get entries(): ReadonlyMap<string, WrittenKind> {
    return this.#kinds;
  }

  /** Mode and time of a folder, as they came. */
  folderStats(path: string): WrittenStats {
    return this.#folders.get(path) ?? plainFolder;
  }

  /** Makes a folder, if it is not there, and those above it; one that was there stays as it is. */
  async addFolder(path: string, stats: WrittenStats): Promise<void> {
    const known = this.#kinds.get(path);
    if (known !== undefined && known !== 'directory') throw this.#twice(path);
    if (known === undefined) await this.#makeFolder(path);
    this.#folders.set(path, stats);
  }

  /** Writes a file from the bytes that come next in the reader; resolves once they are taken, not when it is written. */
  async addFile(path: string, stats: WrittenStats, content: FileBytes): Promise<void> {
    await this.#claimFile(path);
    const { reader, sizeBytes, onSum } = content;
    if (sizeBytes > maxSmallBytes) {
      await this.#writeLarge(path, stats, content);
      return;
    }
    if (!(await reader.fill(sizeBytes))) throw this.#cutOff(path);
    const bytes = reader.take(sizeBytes);
    onSum?.(createHash('sha256').update(bytes).digest('hex'));
    await this.#writes.start(async () => {
      await this.#write(path, stats, async (file) => void (await file.writeFile(bytes)));
    });
  }

  /** Writes a file that has the content of one that was written before. */
  async addCopy(path: string, source: string): Promise<number> {
    await this.settle();
    await this.#claimFile(path);
    await using from = await open(this.#placeOf(source), 'r');
    const { size, mode, mtimeMs } = await from.stat();
    await this.#write(path, { mode, modifiedAt: mtimeMs }, async (to) => {
      const piece = Buffer.allocUnsafe(Math.min(pieceBytes, Math.max(size, 1)));
      for (;;) {
        this.#call.signal?.throwIfAborted();
        const { bytesRead } = await from.read(piece, 0, piece.length, null);
        if (bytesRead === 0) return;
        await writeFully(to, piece.subarray(0, bytesRead));
      }
    });
    return size;
  }

  /** Size of a file that was written before, in bytes. */
  async sizeOf(path: string): Promise<number> {
    await this.settle();
    return (await lstatOrNull(this.#placeOf(path)))?.size ?? 0;
  }

  /** Takes bytes off the end of a file that was written before; gives how many there were to take. */
  async shorten(path: string, bytes: number): Promise<number> {
    const size = await this.sizeOf(path);
    const missing = Math.min(bytes, size);
    const { mtimeMs } = await lstat(this.#placeOf(path));
    await truncate(this.#placeOf(path), size - missing);
    await utimes(this.#placeOf(path), mtimeMs / 1_000, mtimeMs / 1_000);
    return missing;
  }

  /** Plans a link. All are made last, so that nothing can be written through them. */
  async addLink(path: string, target: string): Promise<void> {
    const known = this.#kinds.get(path);
    if (known !== undefined && known !== 'link') throw this.#twice(path);
    await this.#makeParents(path);
    this.#kinds.set(path, 'link');
    this.#links.set(path, target);
  }

  /** Waits for all writes that were started. */
  async settle(): Promise<void> {
    await this.#writes.drain();
    this.#writes.check();
  }

  /** Makes the links, gives the folders their modes and times, and puts the tree in its place. */
  async finish(): Promise<void> {
    await this.settle();
    for (const [path, target] of this.#links) {
      this.#call.signal?.throwIfAborted();
      await this.#makeLink(this.#placeOf(path), target);
    }
    this.#call.signal?.throwIfAborted();
    // Innermost first, and last of all: a folder without the right to write could not be filled, and filling changes its time.
    for (const path of [...this.#made].reverse()) {
      const { mode, modifiedAt } = this.folderStats(path);
      const isMoved = path === '' && this.#isNew;
      if (modifiedAt !== null) await utimes(this.#placeOf(path), modifiedAt / 1_000, modifiedAt / 1_000);
      if (!isMoved) await chmod(this.#placeOf(path), mode & 0o777);
    }
    if (this.#isNew) {
      await rename(this.#base, this.#target);
      this.#isFinished = true;
      // Only now, since a folder that must not be written to cannot be moved.
      await chmod(this.#target, this.folderStats('').mode & 0o777);
    }
    this.#isFinished = true;
  }

  /** Waits for what is under way, and removes what did not get to its place. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writes.drain();
    if (!this.#isFinished && this.#isNew) await rm(this.#base, { recursive: true, force: true });
  }

  #placeOf(path: string): string {
    return path === '' ? this.#base : join(this.#base, path);
  }

  async #makeParents(path: string): Promise<void> {
    const parent = dirname(path);
    const folder = parent === '.' ? '' : parent;
    const known = this.#kinds.get(folder);
    if (known === 'directory') return;
    if (known !== undefined) throw this.#twice(folder);
    await this.#makeFolder(folder);
  }

  async #makeFolder(path: string): Promise<void> {
    await this.#makeParents(path);
    const place = this.#placeOf(path);
    const there = this.#isNew ? null : await lstatOrNull(place);
    if (there?.isSymbolicLink()) {
      throw inTheWay(this.#call, place, 'is a link where a folder was to be made', 'sandbox.unsafe-path');
    }
    if (there !== null && !there.isDirectory())
      throw inTheWay(this.#call, place, 'is no folder', 'sandbox.not-directory');
    if (there === null) {
      await mkdir(place, { mode: 0o700 });
      this.#made.add(path);
    }
    this.#kinds.set(path, 'directory');
  }

  /** A listing can name a file twice, where its folder changes meanwhile: then the later one counts. */
  async #claimFile(path: string): Promise<void> {
    this.#writes.check();
    const known = this.#kinds.get(path);
    if (known === 'directory' || known === 'link') throw this.#twice(path);
    if (known === undefined) await this.#makeParents(path);
    else {
      await this.settle();
      if (this.#isNew) await rm(this.#placeOf(path), { force: true });
    }
    this.#kinds.set(path, 'file');
  }

  async #write(path: string, stats: WrittenStats, fill: (file: FileHandle) => Promise<void>): Promise<void> {
    const place = this.#placeOf(path);
    if (this.#isNew) {
      // Nobody else knows the folder yet, so that the file needs no other name until it is complete.
      await using file = await open(place, 'wx', 0o600);
      await fill(file);
      await setStats(file, stats);
      return;
    }
    await using temporary = await createTemporaryFile(place);
    await fill(temporary.file);
    await setStats(temporary.file, stats);
    await rename(temporary.path, place);
  }

  async #writeLarge(path: string, stats: WrittenStats, content: FileBytes): Promise<void> {
    await this.#write(path, stats, async (file) => {
      const isWhole = await writeFrom(content, file);
      if (!isWhole) throw this.#cutOff(path);
    });
  }

  async #makeLink(place: string, target: string): Promise<void> {
    if (this.#isNew) {
      await symlink(target, place);
      return;
    }
    if ((await lstatOrNull(place))?.isDirectory()) {
      throw inTheWay(this.#call, place, 'is a folder, and a link was to be made there', 'sandbox.is-directory');
    }
    await rm(place, { force: true });
    await symlink(target, place);
  }

  #twice(path: string): unknown {
    return badArchive(this.#call, `it has ${JSON.stringify(path)} twice, as different things`);
  }

  #cutOff(path: string): unknown {
    return badArchive(this.#call, `it ends in the file ${JSON.stringify(path)}`);
  }
}

/** The error of an archive that is not what tar writes. */
export function badArchive({ backend, path }: FileCall, what: string): unknown {
  return remoteError(backend, `The archive of ${JSON.stringify(path)} that the sandbox sent cannot be used: ${what}`, {
    code: 'sandbox.failed',
    phase: 'transfer',
    started: true,
    hint: 'Check the tar program of the sandbox, and the connection to it.',
  });
}

function inTheWay({ backend }: FileCall, path: string, what: string, code: `sandbox.${string}`): unknown {
  return remoteError(backend, `${JSON.stringify(path)} ${what}`, {
    code,
    phase: 'transfer',
    started: true,
    hint: 'Use another target, or remove what is there first.',
  });
}
