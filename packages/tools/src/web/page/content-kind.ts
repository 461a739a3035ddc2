/** What is done with a body. */
export type ContentKind = 'html' | 'text' | 'pdf' | 'image' | 'binary';

/** Longest media type by RFC 6838: two names of 127 characters. */
const maxTypeChars = 255;

/** The media type of a header, lower case and without parameters; `undefined` where there is none. */
export function mediaTypeOf(contentType: string | null): string | undefined {
  const type = contentType?.split(';')[0]?.trim().toLowerCase();
  return type === undefined || type.length > maxTypeChars || !/^[^\s/]+\/[^\s/]+$/.test(type) ? undefined : type;
}

/** Types outside of `text/` that are read as they are. */
const textTypes =
  /^application\/(?:.*\+)?(?:json|xml|yaml|toml|javascript|ecmascript|x-(?:yaml|ndjson|sh|tex|javascript)|ndjson|sql|graphql|rtf)$/;

/** Says what a body is, by its type and, where the type says nothing, by how it begins. */
export function contentKindOf(mediaType: string | undefined, bytes: Uint8Array): ContentKind {
  const start = Buffer.from(bytes.subarray(0, 1_024)).toString('latin1');
  // Servers give PDFs and pictures any type.
  if (start.startsWith('%PDF-') || mediaType === 'application/pdf') return 'pdf';
  if (mediaType === 'text/html' || mediaType === 'application/xhtml+xml') return isBinary(start) ? 'binary' : 'html';
  if (mediaType?.startsWith('image/') && mediaType !== 'image/svg+xml') return 'image';
  const isNamedText =
    mediaType?.startsWith('text/') || mediaType === 'image/svg+xml' || textTypes.test(mediaType ?? '');
  if (isNamedText) return isBinary(start) ? 'binary' : 'text';
  if (mediaType !== undefined && mediaType !== 'application/octet-stream') return 'binary';
  if (isBinary(start)) return 'binary';
  return /^\s*(?:<!--(?:(?!-->).)*-->\s*)*<(?:!doctype html|html|head|body|title|meta|h1|div|p)\b/is.test(start)
    ? 'html'
    : 'text';
}

/** NUL bytes belong to text only as UTF-16, which begins with a mark where it is not declared. */
function isBinary(start: string): boolean {
  return start.includes('\0') && !/^(?:\xff\xfe|\xfe\xff)/.test(start);
}
