import type { SandboxHandle } from '@talaria/terminal-backends';
import type { ToolErrorKind, ToolResult } from '../tool.ts';
import { toolError } from '../tool-result.ts';
import type { FileMemory } from './file-memory.ts';
import { encodeText, type TextFile } from './text-file.ts';

/** Largest file that is written whole, in bytes. */
export const maxWrittenBytes = 5_242_880;
/** Largest file that is edited in place, before and after, in bytes. */
export const maxEditedBytes = 33_554_432;

/** A text as bytes, or why it cannot be one file. */
export type EncodedText =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly kind: ToolErrorKind; readonly message: string };

/** How a text becomes a file. */
export interface FileFormat extends Omit<TextFile, 'text'> {
  readonly maxBytes: number;
}

/** Encodes a text for a file, before anything is changed: the encoding and the size may forbid it. */
export function encodeForFile(path: string, text: string, format: FileFormat): EncodedText {
  const bytes = encodeText(text, format);
  if (bytes === null) {
    const message = `${path} is in ${format.encoding}, which cannot hold some of the new characters.`;
    return { ok: false, kind: 'invalid_args', message };
  }
  if (bytes.length <= format.maxBytes) return { ok: true, bytes };
  const message = `${path} would have ${bytes.length} bytes; the limit of one file is ${format.maxBytes}.`;
  return { ok: false, kind: 'too_large', message };
}

/** Writes bytes at once, and checks that all of them arrived: gives the refusal where they did not. */
export async function storeBytes(
  path: string,
  bytes: Uint8Array,
  {
    sandbox,
    memory,
    signal,
  }: { readonly sandbox: SandboxHandle; readonly memory: FileMemory; readonly signal: AbortSignal },
): Promise<ToolResult | undefined> {
  await sandbox.writeFile(path, bytes, { signal });
  const stat = await sandbox.stat(path, { signal });
  if (stat?.sizeBytes !== bytes.length) {
    const message = `${path} has ${stat?.sizeBytes ?? 0} bytes after ${bytes.length} were written. Read it again.`;
    return toolError('internal', message);
  }
  memory.note(path, bytes);
  return undefined;
}
