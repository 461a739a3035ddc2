import { posix } from 'node:path';
import { errorMessage } from '@talaria/core';
import type { SandboxHandle } from '@talaria/terminal-backends';
import type { FileMemory } from '../files/file-memory.ts';
import { encodeForFile, maxEditedBytes, maxWrittenBytes } from '../files/store-text.ts';
import { newTextFile } from '../files/text-file.ts';
import { describeFailure, isSandboxLost } from '../sandbox-failure.ts';
import type { ToolErrorKind } from '../tool.ts';
import type { EditableFile } from './editable-file.ts';
import type { PlannedFiles } from './plan-patch.ts';

/** What {@link writeFiles} needs. */
export interface WriteFilesOptions {
  readonly sandbox: SandboxHandle;
  readonly memory: FileMemory;
  readonly signal: AbortSignal;
}

/** Outcome of {@link writeFiles}. */
export type WriteFilesResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly kind: ToolErrorKind; readonly message: string };

interface PreparedFile {
  readonly path: string;
  /** `null` for a file that is removed. */
  readonly bytes: Uint8Array | null;
  readonly mode: number | undefined;
  readonly original: EditableFile | undefined;
}

/**
 * Writes the files that a plan changes. When one file cannot be written, those before it get back what they held; an abort and a lost sandbox
 * reject after the same.
 */
export async function writeFiles(
  files: PlannedFiles,
  originals: ReadonlyMap<string, EditableFile>,
  { sandbox, memory, signal }: WriteFilesOptions,
): Promise<WriteFilesResult> {
  const prepared: PreparedFile[] = [];
  for (const [path, planned] of files) {
    const original = originals.get(path);
    const { after, movedFrom } = planned;
    if (after === null) {
      prepared.push({ path, bytes: null, mode: undefined, original });
      continue;
    }
    const source = movedFrom === undefined ? original : originals.get(movedFrom);
    const format =
      source === undefined
        ? { ...newTextFile, maxBytes: maxWrittenBytes }
        : { ...source.format, maxBytes: maxEditedBytes };
    const encoded = encodeForFile(path, after, format);
    if (!encoded.ok) return encoded;
    prepared.push({ path, bytes: encoded.bytes, mode: source?.mode, original });
  }
  const done: (() => Promise<unknown>)[] = [];
  try {
    // New contents first: when a move fails, its source still exists.
    for (const file of prepared.toSorted((left, right) => Number(left.bytes === null) - Number(right.bytes === null))) {
      await applyFile(file, sandbox, signal, done);
    }
  } catch (error) {
    const problem = await rollBack(done);
    if (signal.aborted || isSandboxLost(error)) throw error;
    const { kind, message } = describeFailure(error);
    return { ok: false, kind, message: problem === undefined ? message : `${message}. Undoing failed too: ${problem}` };
  }
  for (const { path, bytes } of prepared) {
    if (bytes === null) memory.forget(path);
    else memory.note(path, bytes);
  }
  return { ok: true };
}

/** Makes one change, after noting how it is undone: a change that fails half-way is undone too. */
async function applyFile(
  { path, bytes, mode, original }: PreparedFile,
  sandbox: SandboxHandle,
  signal: AbortSignal,
  done: (() => Promise<unknown>)[],
): Promise<void> {
  // Undoing must also happen after an abort, hence without the signal.
  done.push(() =>
    original === undefined ? sandbox.remove(path) : sandbox.writeFile(path, original.bytes, { mode: original.mode }),
  );
  if (bytes === null) {
    await sandbox.remove(path, { signal });
    return;
  }
  if (original === undefined) {
    const folder = await newFolderAbove(path, sandbox, signal);
    if (folder !== undefined) done.splice(-1, 0, () => sandbox.remove(folder));
    await sandbox.makeDirectory(posix.dirname(path), { signal });
  }
  await sandbox.writeFile(path, bytes, { mode, signal });
}

/** The topmost folder that has to be made for a path. */
async function newFolderAbove(path: string, sandbox: SandboxHandle, signal: AbortSignal): Promise<string | undefined> {
  let missing: string | undefined;
  for (let folder = posix.dirname(path); folder !== '/'; folder = posix.dirname(folder)) {
    if ((await sandbox.stat(folder, { signal })) !== null) break;
    missing = folder;
  }
  return missing;
}

async function rollBack(done: readonly (() => Promise<unknown>)[]): Promise<string | undefined> {
  let problem: string | undefined;
  for (const undo of done.toReversed()) {
    try {
      await undo();
    } catch (error) {
      problem ??= errorMessage(error);
    }
  }
  return problem;
}
