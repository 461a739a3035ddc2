import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { keyOfLine } from './replay-entry.ts';

/** Where a line is. */
export interface LinePlace {
  readonly path: string;
  readonly offset: number;
  /** In bytes, with the end of the line. */
  readonly length: number;
}

/** How much of a line is looked at for its key. */
const keyBytes = 128;

/**
 * Finds the lines of all files of a folder, the files in the order of their names; the first line of a key counts. What
 * is no whole line of a known version is passed over: the end of a file whose writer was killed, for one.
 */
export async function indexFolder(folder: string): Promise<Map<string, LinePlace>> {
  const index = new Map<string, LinePlace>();
  const names = (await readdir(folder)).filter((name) => name.endsWith('.jsonl')).sort();
  for (const name of names) {
    const path = join(folder, name);
    for await (const { key, offset, length } of linesOf(path)) {
      if (!index.has(key)) index.set(key, { path, offset, length });
    }
  }
  return index;
}

/** The text of one line. */
export async function readLine({ path, offset, length }: LinePlace): Promise<string> {
  await using file = await open(path, 'r');
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
  return buffer.toString('utf8', 0, bytesRead);
}

interface KeyedLine {
  readonly key: string;
  readonly offset: number;
  readonly length: number;
}

/** Whole lines with a key. Only their beginnings are kept in memory. */
async function* linesOf(path: string): AsyncGenerator<KeyedLine> {
  await using file = await open(path, 'r');
  let lineStart = 0;
  let position = 0;
  let head = Buffer.alloc(0);
  for await (const chunk of file.createReadStream({ autoClose: false })) {
    const bytes: Buffer = chunk;
    let from = 0;
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, from)) {
      head = Buffer.concat([head, bytes.subarray(from, Math.min(end, from + keyBytes))]);
      const key = keyOfLine(head.toString('latin1'));
      const lineEnd = position + end + 1;
      if (key !== undefined) yield { key, offset: lineStart, length: lineEnd - lineStart };
      lineStart = lineEnd;
      from = end + 1;
      head = Buffer.alloc(0);
    }
    if (head.length < keyBytes) head = Buffer.concat([head, bytes.subarray(from, from + keyBytes)]);
    position += bytes.length;
  }
}
