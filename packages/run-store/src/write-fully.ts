import type { FileHandle } from 'node:fs/promises';

/** Writes all bytes at the file's current end or position: the system may take fewer than it was given. */
export async function writeFully(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const result = await handle.write(bytes, written, bytes.length - written);
    written += result.bytesWritten;
  }
}
