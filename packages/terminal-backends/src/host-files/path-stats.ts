import type { Stats } from 'node:fs';
import { lstat, stat } from 'node:fs/promises';
import { systemErrorCode } from '@talaria/core';
import type { FileKind } from '../sandbox.ts';

interface KindQuestions {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

/** The kind of what a stat or a directory entry describes. */
export function kindOf(entry: KindQuestions): FileKind {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  return entry.isSymbolicLink() ? 'symlink' : 'other';
}

/** Like `stat`, with `null` where nothing is. */
export function statOrNull(path: string): Promise<Stats | null> {
  return orNull(stat(path));
}

/** Like `lstat`, with `null` where nothing is. */
export function lstatOrNull(path: string): Promise<Stats | null> {
  return orNull(lstat(path));
}

function orNull(stats: Promise<Stats>): Promise<Stats | null> {
  return stats.catch((error: unknown) => {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  });
}

/** Takes an error for an answer where it says that nothing is there. */
export function nullWhereMissing(error: unknown): null {
  if (systemErrorCode(error) === 'ENOENT') return null;
  throw error;
}
