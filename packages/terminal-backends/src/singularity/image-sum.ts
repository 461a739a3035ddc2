import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { isJsonObject, parseJson } from '@talaria/core';
import { nullWhereMissing } from '../host-files/path-stats.ts';

/** What a built image was when it was built. */
interface ImageSum {
  readonly byteCount: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** Where that stands. */
export function sumFileOf(target: string): string {
  return `${target}.sum`;
}

/** Writes down what an image is that has just been built and is about to be `target`. */
export async function writeSum(built: string, target: string): Promise<void> {
  const { size: byteCount } = await stat(built);
  const sum: ImageSum = { byteCount, sha256: await hashFile(built) };
  await writeFile(sumFileOf(target), `${JSON.stringify(sum)}\n`);
}

/** Whether an image is there and has not been cut short since it was built. */
export async function isWhole(target: string): Promise<boolean> {
  const stats = await stat(target).catch(nullWhereMissing);
  return stats !== null && stats.size === (await readSum(target))?.byteCount;
}

/** Removes an image whose content is not what it was when it was built; says whether it did. */
export async function removeIfDamaged(target: string): Promise<boolean> {
  if ((await isWhole(target)) && (await hashFile(target)) === (await readSum(target))?.sha256) return false;
  await rm(target, { force: true });
  return true;
}

async function readSum(target: string): Promise<ImageSum | null> {
  const text = await readFile(sumFileOf(target), 'utf8').catch(nullWhereMissing);
  const parsed = parseJson(text ?? '');
  if (!parsed.ok || !isJsonObject(parsed.value)) return null;
  const { byteCount, sha256 } = parsed.value;
  return typeof byteCount === 'number' && typeof sha256 === 'string' ? { byteCount, sha256 } : null;
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1_048_576 }), hash);
  return hash.digest('hex');
}
