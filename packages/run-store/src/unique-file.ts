import { type FileHandle, open } from 'node:fs/promises';
import { dirname, join, parse } from 'node:path';
import { makeFolder, StateError, systemErrorCode } from '@talaria/core';
import { withStorageErrors } from './storage-error.ts';

/** A file that did not exist before. */
export interface UniqueFile {
  /** The path that was free: the wished one, or the one with the first free suffix. */
  readonly path: string;
  /** Open for appending; the caller closes it. */
  readonly handle: FileHandle;
}

/** After so many taken names something is wrong with the folder. */
const maxSuffix = 10_000;

/**
 * Creates a file without ever touching one that exists: `rows.jsonl`, else `rows_1.jsonl`, `rows_2.jsonl`, … Missing
 * folders are made. Two processes that ask at once get two files.
 *
 * @throws StateError `state.not-writable`, `state.no-space`, `state.exists` after 10,000 taken names
 */
export async function openUniqueFile(path: string): Promise<UniqueFile> {
  const { dir, name, ext } = parse(path);
  await withStorageErrors('create', dir, () => makeFolder(dirname(path)));
  for (let suffix = 0; suffix <= maxSuffix; suffix += 1) {
    const candidate = suffix === 0 ? path : join(dir, `${name}_${suffix}${ext}`);
    const handle = await withStorageErrors('create', candidate, () => openNew(candidate));
    if (handle !== undefined) return { path: candidate, handle };
  }
  throw new StateError(`${path} and ${maxSuffix} names after it are taken`, {
    code: 'state.exists',
    hint: 'Choose another name, or move the old files away.',
  });
}

async function openNew(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'ax');
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return undefined;
    throw error;
  }
}
