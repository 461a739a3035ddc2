import { SandboxError } from '@talaria/core';
import type { DirectoryEntry, FileContent, FileStat, ReadFileOptions, WriteFileOptions } from '../sandbox.ts';

interface MemoryFile {
  readonly bytes: Uint8Array;
  readonly mode: number;
}

/** A file system of files and folders in memory. Paths are absolute and without `.` and `..`. */
export interface MemoryFiles {
  read(path: string, options: ReadFileOptions): FileContent;
  write(path: string, bytes: Uint8Array, options: WriteFileOptions): void;
  stat(path: string): FileStat | null;
  list(path: string): readonly DirectoryEntry[];
  makeFolder(path: string): boolean;
  remove(path: string): boolean;
  move(from: string, to: string): void;
  /** Paths of all files. */
  paths(): readonly string[];
}

/** Creates one that holds nothing but the root folder. */
export function createMemoryFiles(): MemoryFiles {
  const files = new Map<string, MemoryFile>();
  const folders = new Set(['/']);

  function makeFolder(path: string): boolean {
    if (folders.has(path)) return false;
    if (files.has(path)) throw fileError(path, 'not-directory', 'is a file');
    makeFolder(parentOf(path));
    folders.add(path);
    return true;
  }

  function below(path: string, all: Iterable<string>): string[] {
    return [...all].filter((candidate) => candidate === path || candidate.startsWith(`${path}/`));
  }

  return {
    read(path, { offset = 0, maxBytes = Number.POSITIVE_INFINITY }) {
      if (folders.has(path)) throw fileError(path, 'is-directory', 'is a folder');
      const file = files.get(path);
      if (file === undefined) throw fileError(path, 'not-found', 'does not exist');
      const sizeBytes = file.bytes.length;
      const end = offset + maxBytes;
      return { bytes: file.bytes.slice(offset, end), sizeBytes, isTruncated: end < sizeBytes };
    },
    write(path, bytes, { mode, isExclusive = false }) {
      if (folders.has(path)) throw fileError(path, 'is-directory', 'is a folder');
      if (isExclusive && files.has(path)) throw fileError(path, 'exists', 'exists');
      makeFolder(parentOf(path));
      files.set(path, { bytes: bytes.slice(), mode: mode ?? files.get(path)?.mode ?? 0o644 });
    },
    stat(path) {
      if (folders.has(path)) return { kind: 'directory', sizeBytes: 0, mode: 0o755, modifiedAt: 0 };
      const file = files.get(path);
      return file === undefined ? null : { kind: 'file', sizeBytes: file.bytes.length, mode: file.mode, modifiedAt: 0 };
    },
    list(path) {
      if (files.has(path)) throw fileError(path, 'not-directory', 'is a file');
      if (!folders.has(path)) throw fileError(path, 'not-found', 'does not exist');
      const entries = [
        ...[...folders].map((folder) => ({ path: folder, kind: 'directory' as const })),
        ...[...files.keys()].map((file) => ({ path: file, kind: 'file' as const })),
      ].filter((entry) => entry.path !== '/' && parentOf(entry.path) === path);
      return entries
        .map(({ path: entryPath, kind }) => ({ name: entryPath.slice(entryPath.lastIndexOf('/') + 1), kind }))
        .sort((left, right) => (left.name < right.name ? -1 : 1));
    },
    makeFolder,
    remove(path) {
      const gone = [...below(path, files.keys()), ...below(path, folders)];
      for (const each of gone) {
        files.delete(each);
        folders.delete(each);
      }
      return gone.length > 0;
    },
    move(from, to) {
      const movedFiles = below(from, files.keys());
      const movedFolders = below(from, folders);
      if (movedFiles.length + movedFolders.length === 0) throw fileError(from, 'not-found', 'does not exist');
      makeFolder(parentOf(to));
      for (const path of movedFolders) {
        folders.delete(path);
        folders.add(to + path.slice(from.length));
      }
      for (const path of movedFiles) {
        const file = files.get(path);
        files.delete(path);
        if (file !== undefined) files.set(to + path.slice(from.length), file);
      }
    },
    paths: () => [...files.keys()],
  };
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

function fileError(path: string, what: string, claim: string): SandboxError {
  return new SandboxError(`${JSON.stringify(path)} ${claim}`, {
    code: `sandbox.${what}`,
    backend: 'local',
    phase: 'transfer',
    started: false,
    hint: 'Check the path.',
  });
}
