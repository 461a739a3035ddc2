import { Buffer } from 'node:buffer';
import type { FileKind } from '@talaria/terminal-backends';
import { isUtf16 } from './text-file.ts';

const images: ReadonlySet<string> = new Set(['png', 'jpg', 'jpeg', 'gif', 'webp', 'bmp', 'ico', 'tiff', 'tif']);

/** Names that say enough by themselves: archives, sound, film. What else a file is, its content says. */
const packed: ReadonlySet<string> = new Set(
  'mp3 mp4 wav avi mov mkv flac ogg webm zip tar gz bz2 xz 7z rar'.split(' '),
);

/** Bytes that the decision looks at. */
const sampleBytes = 8_192;

/** What something in the file system is, in words. */
export function describeKind(kind: FileKind): string {
  return kind === 'other' ? 'a device, pipe or socket' : `a ${kind}`;
}

/** Whether a file is text that can be shown. */
export function fileKindOf(path: string, bytes: Uint8Array): 'text' | 'image' | 'binary' {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const extension = name.includes('.') ? name.slice(name.lastIndexOf('.') + 1).toLowerCase() : '';
  if (images.has(extension)) return 'image';
  if (packed.has(extension)) return 'binary';
  return hasBinaryContent(bytes) ? 'binary' : 'text';
}

/** A NUL, or more than 30 % control characters. UTF-16 with its mark is text though it holds NULs. */
function hasBinaryContent(bytes: Uint8Array): boolean {
  if (isUtf16(bytes)) return false;
  const sample = bytes.subarray(0, sampleBytes);
  if (sample.includes(0)) return true;
  const start = decodeStart(sample.subarray(0, 1_000));
  return start.replaceAll(/[^\p{Cc}]|[\t\n\r]/gu, '').length > start.length * 0.3;
}

/** What is no UTF-8 counts as Latin-1, where more codes are control characters. */
function decodeStart(bytes: Uint8Array): string {
  try {
    // As a stream, so that a character which the sample cuts is no fault.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return Buffer.from(bytes).toString('latin1');
  }
}
