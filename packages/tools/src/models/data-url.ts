/** What {@link decodeDataUrl} found. */
export type DecodedDataUrl =
  | { readonly kind: 'decoded'; readonly bytes: Uint8Array }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'malformed'; readonly why: string };

/** Characters that are looked at in one go: an expression over many megabytes holds everything else up, and may fail. */
const chunkChars = 65_536;

/** Decodes a `data:` address in base64, as pictures come. The media type that it names is not read. */
export function decodeDataUrl(url: string, maxBytes: number): DecodedDataUrl {
  const comma = url.indexOf(',');
  if (comma === -1) return { kind: 'malformed', why: 'it has no comma before its data' };
  if (!/;base64$/i.test(url.slice(0, comma))) return { kind: 'malformed', why: 'it is not marked as base64' };
  // Four letters hold three bytes; line breaks and padding come on top and are few.
  if (url.length - comma > maxBytes * 2) return { kind: 'too-large' };
  const maxLetters = Math.ceil(maxBytes / 3) * 4;
  const parts: string[] = [];
  let letterCount = 0;
  let padding = '';
  for (let start = comma + 1; start < url.length; start += chunkChars) {
    const chunk = url.slice(start, start + chunkChars).replace(/\s+/g, '');
    const letters = /^[A-Za-z0-9+/_-]*/.exec(chunk)?.[0] ?? '';
    const rest = chunk.slice(letters.length);
    if ((padding !== '' && letters !== '') || !/^={0,2}$/.test(rest) || padding.length + rest.length > 2) {
      return { kind: 'malformed', why: 'its data is not base64' };
    }
    padding += rest;
    letterCount += letters.length;
    if (letterCount > maxLetters) return { kind: 'too-large' };
    parts.push(letters);
  }
  if (letterCount === 0) return { kind: 'malformed', why: 'it holds nothing' };
  if (letterCount % 4 === 1) return { kind: 'malformed', why: 'its data is not base64' };
  const bytes = Buffer.from(parts.join(''), 'base64');
  return bytes.length > maxBytes ? { kind: 'too-large' } : { kind: 'decoded', bytes };
}
