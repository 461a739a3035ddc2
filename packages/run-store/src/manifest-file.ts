import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { quoteShell, StateError, systemErrorCode } from '@talaria/core';
import { lockFileName } from './folder-lock.ts';
import { checkSameRun } from './manifest-difference.ts';
import { decodeManifest, encodeManifest, type RunDescription, type RunManifest } from './run-manifest.ts';
import { toStorageError, withStorageErrors } from './storage-error.ts';
import { writeAtomic } from './write-atomic.ts';

/** What {@link openManifest} needs. */
export interface ManifestOptions {
  readonly mayResume: boolean;
  readonly changeableKeys: readonly string[];
  /** For a new run. */
  readonly runId: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

const manifestFileName = 'manifest.json';

/**
 * The manifest of the run in a folder; `null` where it holds none. Takes no lock, and may be called while the run goes on.
 * @throws StateError `state.unknown-version`, `state.damaged-manifest`, or what keeps it from being read
 */
export async function readRunManifest(folder: string): Promise<RunManifest | null> {
  const path = join(folder, manifestFileName);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (absentCodes.has(systemErrorCode(error))) return null;
    throw toStorageError(error, 'read', path);
  }
  return decodeManifest(text, path);
}

const absentCodes: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR']);

/** The manifest of a folder, and whether it was there before. */
export interface OpenedManifest {
  readonly manifest: RunManifest;
  readonly isResumed: boolean;
}

/** Reads and checks the manifest of the run that is there, or writes that of a new one. */
export async function openManifest(
  folder: string,
  description: RunDescription,
  options: ManifestOptions,
): Promise<OpenedManifest> {
  const path = join(folder, manifestFileName);
  const before = await readRunManifest(folder);
  if (before === null) {
    await checkIsEmpty(folder);
    const manifest = { runId: options.runId, createdAt: options.now, ...description };
    await writeAtomic(path, encodeManifest(manifest));
    return { manifest, isResumed: false };
  }
  if (!options.mayResume) {
    throw new StateError(`${folder} already holds run ${before.runId} of ${before.environment}`, {
      code: 'state.exists',
      hint: `Choose another folder, or go on with that run: --resume ${quoteShell([folder])}`,
    });
  }
  checkSameRun(folder, before, description, options.changeableKeys);
  const manifest = { ...before, config: description.config, versions: description.versions };
  const text = encodeManifest(manifest);
  if (text !== encodeManifest(before)) await writeAtomic(path, text);
  return { manifest, isResumed: true };
}

/** Whether a name is that of a file that was about to be renamed or linked. */
export function isTemporaryFile(name: string): boolean {
  return name.endsWith('.tmp') && (name.startsWith('.') || name.startsWith(`${lockFileName}.`));
}

/** A run that was killed at its very start has left nothing but its lock and temporary files. */
async function checkIsEmpty(folder: string): Promise<void> {
  const names = await withStorageErrors('read', folder, () => readdir(folder));
  const foreign = names.filter(
    (name) => !isTemporaryFile(name) && name !== lockFileName && !name.startsWith(`${lockFileName}.`),
  );
  if (foreign.length === 0) return;
  const some = `${foreign.slice(0, 3).join(', ')}${foreign.length > 3 ? ', …' : ''}`;
  throw new StateError(`${folder} holds no run (it has no manifest.json), but other things: ${some}`, {
    code: 'state.exists',
    hint: 'Choose a folder that is new or empty.',
  });
}
