import type { Readable } from 'node:stream';
import { decodeText, splitLines } from './text-file.ts';

/** Characters of a line that are shown. */
const maxLineChars = 2_000;
/** Bytes of a line that are kept while a large file streams by: enough for every character shown. */
const maxLineBytes = 8_192;

/** Some lines of a file. */
export interface LineWindow {
  readonly lines: readonly string[];
  /** Lines of the whole file; `null` where it is too large to count. */
  readonly totalLines: number | null;
  readonly hasMore: boolean;
}

/** Lines `[offset, offset + limit)` of a text, counted from 1. */
export function windowOfText(text: string, offset: number, limit: number): LineWindow {
  const lines = splitLines(text);
  return {
    lines: lines.slice(offset - 1, offset - 1 + limit),
    totalLines: lines.length,
    hasMore: lines.length > offset - 1 + limit,
  };
}

/** Which lines of a stream are wanted. */
export interface StreamWindow {
  /** First line, counted from 1. */
  readonly offset: number;
  readonly limit: number;
  /** Where the stream is left though there may be more: a file that grows meanwhile might never end. */
  readonly sizeBytes: number;
}

/** The same of a file too large to hold, read only as far as needed. Of long lines only the start is kept. */
export async function windowOfStream(stream: Readable, wanted: StreamWindow): Promise<LineWindow> {
  const { offset, limit, sizeBytes } = wanted;
  const lines: string[] = [];
  let pieces: Uint8Array[] = [];
  let keptBytes = 0;
  let lineBytes = 0;
  let lineNumber = 1;
  let readBytes = 0;

  function keep(piece: Uint8Array): void {
    lineBytes += piece.length;
    if (lineNumber < offset || keptBytes >= maxLineBytes) return;
    const kept = piece.subarray(0, maxLineBytes - keptBytes);
    pieces.push(Uint8Array.from(kept));
    keptBytes += kept.length;
  }
  function endLine(): void {
    if (lineNumber >= offset) lines.push(decodeLine(pieces, lineBytes > keptBytes));
    pieces = [];
    keptBytes = 0;
    lineBytes = 0;
    lineNumber += 1;
  }

  // Leaving the loop early destroys the stream.
  for await (const chunk of stream) {
    const bytes: Uint8Array = chunk;
    let start = 0;
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
      if (lines.length === limit) return { lines, totalLines: null, hasMore: true };
      keep(bytes.subarray(start, end));
      endLine();
      start = end + 1;
    }
    if (lines.length === limit && start < bytes.length) return { lines, totalLines: null, hasMore: true };
    keep(bytes.subarray(start));
    readBytes += bytes.length;
    if (readBytes > sizeBytes) return { lines, totalLines: null, hasMore: true };
  }
  if (lineBytes > 0 && lines.length < limit) endLine();
  return { lines, totalLines: lines.length > 0 ? offset - 1 + lines.length : lineNumber - 1, hasMore: false };
}

function decodeLine(pieces: readonly Uint8Array[], isCut: boolean): string {
  const bytes = Buffer.concat(pieces);
  // A cut may fall inside a character; what is cut is not shown anyway.
  const text = isCut ? bytes.toString('utf8') : decodeText(bytes).text;
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}

/** A line as it is shown: cut if it is long. */
export function showLine(line: string): string {
  if (line.length <= maxLineChars) return line;
  const last = line.charCodeAt(maxLineChars - 1);
  const end = last >= 0xd800 && last <= 0xdbff ? maxLineChars - 1 : maxLineChars;
  return `${line.slice(0, end)}... [truncated]`;
}
