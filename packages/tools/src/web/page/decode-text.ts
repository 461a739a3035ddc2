/** Text of a body, and the charset that it was read as. */
export interface DecodedText {
  readonly text: string;
  /** Name by the Encoding Standard, for example `windows-1252`. */
  readonly charset: string;
}

/**
 * Reads bytes as text. A byte-order mark decides, then the header, then what HTML says of itself in its first 1024 bytes;
 * where nobody says anything that is known, UTF-8 if it fits, else windows-1252, as browsers do. Bytes that do not fit
 * become U+FFFD. Never throws.
 */
export function decodeText(bytes: Uint8Array, contentType: string | null): DecodedText {
  const named = charsetOfMark(bytes) ?? known(charsetOfHeader(contentType)) ?? known(charsetOfMeta(bytes));
  const charset = named ?? (isUtf8(bytes) ? 'utf-8' : 'windows-1252');
  return { text: new TextDecoder(charset).decode(bytes), charset };
}

function charsetOfMark(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return undefined;
}

function charsetOfHeader(contentType: string | null): string | undefined {
  return /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType ?? '')?.[1];
}

function charsetOfMeta(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 1_024)).toString('latin1');
  const label =
    /<meta\s[^>]*charset\s*=\s*["']?\s*([^\s"'/>;]+)/i.exec(head)?.[1] ??
    /^<\?xml\s[^>]*encoding\s*=\s*["']([^"']+)/i.exec(head)?.[1];
  // What can be read as ASCII is no UTF-16, whatever it says.
  return label?.toLowerCase().startsWith('utf-16') ? 'utf-8' : label;
}

function known(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    // As a stream, since the limit may have cut a character in two.
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
