/** What the name of an entry means. */
export type EntryPath =
  | { readonly kind: 'path'; readonly path: string }
  /** It holds bytes that are no UTF-8. `text` is for messages; `parents` are the folders above it, as such texts. */
  | { readonly kind: 'not-utf8'; readonly text: string; readonly parents: readonly string[] }
  /** It is absolute, climbs out of the tree, or holds a NUL. */
  | { readonly kind: 'unsafe'; readonly text: string };

/** Reads the name of an entry of an archive of `.`: the path in the tree, without `./`, empty for the tree itself. */
export function readEntryPath(name: Buffer): EntryPath {
  const text = name.toString();
  if (text === '' || text.startsWith('/') || text.includes('\0')) return { kind: 'unsafe', text };
  const parts = text.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) return { kind: 'unsafe', text };
  const path = parts.join('/');
  if (isUtf8(name)) return { kind: 'path', path };
  const parents = parts.slice(0, -1).map((_part, index) => parts.slice(0, index + 1).join('/'));
  return { kind: 'not-utf8', text: path, parents };
}

function isUtf8(bytes: Buffer): boolean {
  return Buffer.from(bytes.toString()).equals(bytes);
}
