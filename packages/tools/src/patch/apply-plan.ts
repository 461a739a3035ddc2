import { posix } from 'node:path';
import { errorMessage, SandboxError, truncateText } from '@talaria/core';
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

/** Time for making a link again. */
const undoTimeoutMs = 30_000;

interface PreparedFile {
  readonly path: string;
  /** `null` for a file that is removed. */
  readonly bytes: Uint8Array | null;
  readonly mode: number | undefined;
  readonly original: EditableFile | undefined;
  /** Where the path points, if it is a link that is removed. */
  readonly linkTarget: string | undefined;
}

/**
 * Writes the files that a plan changes. When one file cannot be written, those before it get back what they held, links
 * where they pointed; an abort and a lost sandbox reject after the same.
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
      const { linkTarget } = (await sandbox.stat(path, { isLink: true, signal })) ?? {};
      prepared.push({ path, bytes: null, mode: undefined, original, linkTarget });
      continue;
    }
    const source = movedFrom === undefined ? original : originals.get(movedFrom);
    const format =
      source === undefined
        ? { ...newTextFile, maxBytes: maxWrittenBytes }
        : { ...source.format, maxBytes: maxEditedBytes };
    const encoded = encodeForFile(path, after, format);
    if (!encoded.ok) return encoded;
    prepared.push({ path, bytes: encoded.bytes, mode: source?.mode, original, linkTarget: undefined });
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
  file: PreparedFile,
  sandbox: SandboxHandle,
  signal: AbortSignal,
  done: (() => Promise<unknown>)[],
): Promise<void> {
  const { path, bytes, mode, original } = file;
  done.push(() => restoreFile(file, sandbox));
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

/** Undoing must also happen after an abort, hence without a signal. */
async function restoreFile({ path, original, linkTarget }: PreparedFile, sandbox: SandboxHandle): Promise<void> {
  if (original === undefined) await sandbox.remove(path);
  else if (linkTarget === undefined) await sandbox.writeFile(path, original.bytes, { mode: original.mode });
  else await restoreLink(path, linkTarget, sandbox);
}

async function restoreLink(path: string, target: string, sandbox: SandboxHandle): Promise<void> {
  const result = await sandbox.runProgram(['ln', '-sfn', '--', target, path], { timeoutMs: undoTimeoutMs });
  if (result.kind === 'exited' && result.exitCode === 0) return;
  throw new SandboxError(`The link ${path} to ${target} could not be made again: ${truncateText(result.output, 200)}`, {
    code: 'sandbox.failed',
    backend: sandbox.kind,
    phase: 'exec',
    started: true,
  });
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
