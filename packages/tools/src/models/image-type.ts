/** Media types of pictures that models look at. */
export type ImageMediaType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

/** What a picture is by its first bytes, whatever its name says; `undefined` for anything but PNG, JPEG, GIF and WebP. */
export function imageTypeOf(bytes: Uint8Array): ImageMediaType | undefined {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 16)).toString('latin1');
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (start.startsWith('GIF87a') || start.startsWith('GIF89a')) return 'image/gif';
  if (start.startsWith('RIFF') && start.slice(8, 12) === 'WEBP') return 'image/webp';
  return undefined;
}

const extensions: Readonly<Record<ImageMediaType, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
};

/** The ending of a file's name for a picture, without a dot. */
export function imageExtensionOf(type: ImageMediaType): string {
  return extensions[type];
}
