import type { SandboxHandle } from '@talaria/terminal-backends';
import { describeKind, fileKindOf } from '../files/file-kind.ts';
import { maxEditedBytes } from '../files/store-text.ts';
import { decodeText, type TextFile } from '../files/text-file.ts';
import { isNotFound } from '../sandbox-failure.ts';
import type { ToolErrorKind } from '../tool.ts';

/** A text file as it was read for an edit. */
export interface EditableFile {
  readonly bytes: Uint8Array;
  readonly format: TextFile;
  /** Permission bits. */
  readonly mode: number;
}

/** Outcome of {@link readEditable}: `file` is `null` where nothing is at the path. */
export type EditableResult =
  | { readonly ok: true; readonly file: EditableFile | null }
  | { readonly ok: false; readonly kind: ToolErrorKind; readonly problem: string };

/** Reads a file whole, as bytes and as text: what an edit starts from. */
export async function readEditable(path: string, sandbox: SandboxHandle, signal: AbortSignal): Promise<EditableResult> {
  try {
    const stat = await sandbox.stat(path, { signal });
    if (stat === null) return { ok: true, file: null };
    if (stat.kind !== 'file') {
      return { ok: false, kind: 'invalid_args', problem: `is ${describeKind(stat.kind)}, not a file` };
    }
    if (stat.sizeBytes > maxEditedBytes) {
      return { ok: false, kind: 'too_large', problem: `has ${stat.sizeBytes} bytes, too many to edit` };
    }
    // Not more than it has: a file that grows as fast as it is read has no end. Files of the system have no size.
    const maxBytes = stat.sizeBytes === 0 ? maxEditedBytes : stat.sizeBytes;
    const { bytes, isTruncated } = await sandbox.readFile(path, { maxBytes, signal });
    if (isTruncated) {
      return { ok: false, kind: 'not_available', problem: 'grew while it was read: end what writes to it first' };
    }
    if (fileKindOf(path, bytes) !== 'text')
      return { ok: false, kind: 'invalid_args', problem: 'is no text file: use terminal to change, move or remove it' };
    return { ok: true, file: { bytes, format: decodeText(bytes), mode: stat.mode } };
  } catch (error) {
    if (isNotFound(error)) return { ok: true, file: null };
    throw error;
  }
}
