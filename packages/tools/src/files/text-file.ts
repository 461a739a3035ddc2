import { Buffer } from 'node:buffer';

/** How a text file is written as bytes. */
export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'latin-1';

/** A file as text, with what is needed to write it back byte for byte. */
export interface TextFile {
  /** Without the byte-order mark; line endings as they are. */
  readonly text: string;
  readonly encoding: TextEncoding;
  readonly hasByteOrderMark: boolean;
}

/** What a new file is written as. */
export const newTextFile: TextFile = { text: '', encoding: 'utf-8', hasByteOrderMark: false };

/** Decodes a file: UTF-8, else UTF-16 by its byte-order mark, else Latin-1, which every byte sequence is. */
export function decodeText(bytes: Uint8Array): TextFile {
  const [first, second, third] = bytes;
  if (first === 0xff && second === 0xfe) return fromUtf16(bytes.subarray(2), 'utf-16le');
  if (first === 0xfe && second === 0xff) return fromUtf16(bytes.subarray(2), 'utf-16be');
  const hasByteOrderMark = first === 0xef && second === 0xbb && third === 0xbf;
  const body = hasByteOrderMark ? bytes.subarray(3) : bytes;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
    return { text, encoding: 'utf-8', hasByteOrderMark };
  } catch {
    return { text: Buffer.from(bytes).toString('latin1'), encoding: 'latin-1', hasByteOrderMark: false };
  }
}

/** Whether a file starts with the byte-order mark of UTF-16. */
export function isUtf16([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

/** Encodes text as a file was; `null` where the encoding has no bytes for a character. */
export function encodeText(text: string, { encoding, hasByteOrderMark }: Omit<TextFile, 'text'>): Uint8Array | null {
  const body = hasByteOrderMark ? `\ufeff${text}` : text;
  switch (encoding) {
    case 'utf-8':
      return Buffer.from(body, 'utf8');
    case 'utf-16le':
      return Buffer.from(body, 'utf16le');
    case 'utf-16be':
      return Buffer.from(body, 'utf16le').swap16();
    case 'latin-1':
      return /[^\0-\u00ff]/.test(text) ? null : Buffer.from(text, 'latin1');
  }
}

/** Whether most lines end in CR LF. */
export function isMostlyCrlf(text: string): boolean {
  const breaks = text.split('\n').length - 1;
  const crlf = text.split('\r\n').length - 1;
  return crlf > 0 && crlf * 2 > breaks;
}

/** Lines as they are shown and counted: a final line break starts no line, CR before a break does not belong to it. */
export function splitLines(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}

function fromUtf16(body: Uint8Array, encoding: 'utf-16le' | 'utf-16be'): TextFile {
  if (body.length % 2 !== 0) {
    const whole = Buffer.from(body.buffer, body.byteOffset - 2, body.length + 2);
    return { text: whole.toString('latin1'), encoding: 'latin-1', hasByteOrderMark: false };
  }
  const copy = Buffer.from(body);
  const text = (encoding === 'utf-16le' ? copy : copy.swap16()).toString('utf16le');
  return { text, encoding, hasByteOrderMark: true };
}
