import type { SandboxHandle } from '@talaria/terminal-backends';
import type { ToolResult } from '../tool.ts';
import { toolError } from '../tool-result.ts';
import type { FileMemory } from './file-memory.ts';
import { encodeText, type TextFile } from './text-file.ts';

/** Largest file that is written or edited, in bytes. */
export const maxEditableBytes = 5_242_880;

/** What {@link storeText} needs beside the text. */
export interface StoreTextOptions {
  readonly format: Omit<TextFile, 'text'>;
  readonly sandbox: SandboxHandle;
  readonly memory: FileMemory;
  readonly mode?: number | undefined;
  readonly signal: AbortSignal;
}

/** Encodes and writes a text at once, and checks that all of it arrived. Gives the bytes, or the refusal. */
export async function storeText(
  path: string,
  text: string,
  options: StoreTextOptions,
): Promise<Uint8Array | ToolResult> {
  const { format, sandbox, memory, mode, signal } = options;
  const bytes = encodeText(text, format);
  if (bytes === null) {
    return toolError('invalid_args', `${path} is in ${format.encoding}, which cannot hold some of the new characters.`);
  }
  if (bytes.length > maxEditableBytes) {
    return toolError('too_large', `${bytes.length} bytes are too many for one file; the limit is ${maxEditableBytes}.`);
  }
  await sandbox.writeFile(path, bytes, { signal, mode });
  const stat = await sandbox.stat(path, { signal });
  if (stat?.sizeBytes !== bytes.length) {
    return toolError(
      'internal',
      `${path} has ${stat?.sizeBytes ?? 0} bytes after ${bytes.length} were written. Read it again.`,
    );
  }
  memory.note(path, bytes);
  return bytes;
}
