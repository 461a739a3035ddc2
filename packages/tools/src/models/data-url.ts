/** What {@link decodeDataUrl} found. */
export type DecodedDataUrl =
  | { readonly kind: 'decoded'; readonly bytes: Uint8Array }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'malformed'; readonly why: string };

/** Decodes a `data:` address in base64, as pictures come. The media type that it names is not read. */
export function decodeDataUrl(url: string, maxBytes: number): DecodedDataUrl {
  const comma = url.indexOf(',');
  if (comma === -1) return { kind: 'malformed', why: 'it has no comma before its data' };
  if (!/;base64$/i.test(url.slice(0, comma))) return { kind: 'malformed', why: 'it is not marked as base64' };
  const data = url.slice(comma + 1);
  // Four letters hold three bytes; line breaks and padding come on top and are few.
  if (data.length > maxBytes * 2) return { kind: 'too-large' };
  const letters = data.replace(/\s+/g, '').replace(/={1,2}$/, '');
  if (!/^[A-Za-z0-9+/_-]+$/.test(letters) || letters.length % 4 === 1) {
    return { kind: 'malformed', why: letters === '' ? 'it holds nothing' : 'its data is not base64' };
  }
  const bytes = Buffer.from(letters, 'base64');
  return bytes.length > maxBytes ? { kind: 'too-large' } : { kind: 'decoded', bytes };
}
