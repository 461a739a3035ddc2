import { open } from 'node:fs/promises';

const chunkBytes = 64 * 1024;

/** Reads a text file, but for what is behind `maxBytes`: it may be a device that never ends. */
export async function readStart(path: string, maxBytes: number): Promise<string> {
  await using file = await open(path, 'r');
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  while (sizeBytes < maxBytes) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(chunkBytes), 0, chunkBytes, null);
    if (bytesRead === 0) break;
    chunks.push(buffer.subarray(0, bytesRead));
    sizeBytes += bytesRead;
  }
  return Buffer.concat(chunks).toString('utf8');
}
