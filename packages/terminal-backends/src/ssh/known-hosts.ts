import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** A line of a `known_hosts` file that can be used. */
interface KnownHostLine {
  /** From 1 on. */
  readonly number: number;
  readonly isRevoked: boolean;
  readonly patterns: string;
  readonly key: Buffer;
}

/** What a `known_hosts` file says about one server. */
export interface KnownKeys {
  readonly trusted: readonly { readonly key: Buffer; readonly lineNumber: number }[];
  readonly revoked: readonly Buffer[];
}

/** What to think of a key that a server has shown. */
export type HostKeyVerdict =
  | { readonly kind: 'known' }
  /** Nothing is known about the server. */
  | { readonly kind: 'new' }
  /** Other keys are known, and this one is none of them, whatever its type. */
  | { readonly kind: 'changed'; readonly known: KnownKeys['trusted'] }
  | { readonly kind: 'revoked' };

/**
 * Finds the keys of a server, called as in the file (`host` or `[host]:port`), in the text of one. Plain and hashed
 * names, wildcards, negation and `@revoked` count; certificates of hosts (`@cert-authority`) do not. Lines that cannot be
 * read are passed over, as OpenSSH does.
 */
export function findKnownKeys(text: string, name: string): KnownKeys {
  const lines = text
    .split('\n')
    .map(parseLine)
    .filter((line) => line !== null)
    .filter((line) => namesServer(line.patterns, name));
  return {
    trusted: lines.filter((line) => !line.isRevoked).map(({ key, number }) => ({ key, lineNumber: number })),
    revoked: lines.filter((line) => line.isRevoked).map(({ key }) => key),
  };
}

/** Judges a key by what is known. */
export function judgeHostKey(known: KnownKeys, key: Buffer): HostKeyVerdict {
  if (known.revoked.some((revoked) => revoked.equals(key))) return { kind: 'revoked' };
  if (known.trusted.some((trusted) => trusted.key.equals(key))) return { kind: 'known' };
  return known.trusted.length === 0 ? { kind: 'new' } : { kind: 'changed', known: known.trusted };
}

/** The line that remembers a key. */
export function knownHostLine(name: string, key: Buffer): string {
  return `${name} ${hostKeyType(key)} ${key.toString('base64')}\n`;
}

/** As OpenSSH shows keys: `SHA256:` and 43 characters. */
export function fingerprintOf(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}

/** The type that a key tells of itself, for example `ssh-ed25519`. */
export function hostKeyType(key: Buffer): string {
  if (key.length < 4) return '';
  return key.toString('latin1', 4, 4 + key.readUInt32BE(0));
}

function parseLine(line: string, index: number): KnownHostLine | null {
  const words = line.trim().split(/[ \t]+/);
  const marker = words[0]?.startsWith('@') ? words.shift() : undefined;
  const [patterns, type, encoded] = words;
  if (patterns === undefined || patterns.startsWith('#') || type === undefined || encoded === undefined) return null;
  if (marker !== undefined && marker !== '@revoked') return null;
  const key = Buffer.from(encoded, 'base64');
  // Broken text, or a format from before SSH 2.
  if (hostKeyType(key) !== type) return null;
  return { number: index + 1, isRevoked: marker === '@revoked', patterns, key };
}

function namesServer(patterns: string, name: string): boolean {
  if (patterns.startsWith('|1|')) return isHashOf(patterns, name);
  const list = patterns.split(',');
  const isExcluded = list.some((pattern) => pattern.startsWith('!') && matches(pattern.slice(1), name));
  return !isExcluded && list.some((pattern) => matches(pattern, name));
}

function isHashOf(hashed: string, name: string): boolean {
  const [, , salt = '', sum = ''] = hashed.split('|');
  const expected = Buffer.from(sum, 'base64');
  const actual = createHmac('sha1', Buffer.from(salt, 'base64')).update(name).digest();
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

/** `*` and `?` are wildcards. In one pass without backtracking over more than the last `*`, since files may be hostile. */
function matches(pattern: string, name: string): boolean {
  const wanted = pattern.toLowerCase();
  let at = 0;
  let nameAt = 0;
  let starAt = -1;
  let starNameAt = 0;
  while (nameAt < name.length) {
    if (wanted[at] === '*') {
      starAt = at;
      starNameAt = nameAt;
      at += 1;
    } else if (at < wanted.length && (wanted[at] === '?' || wanted[at] === name[nameAt])) {
      at += 1;
      nameAt += 1;
    } else if (starAt >= 0) {
      at = starAt + 1;
      starNameAt += 1;
      nameAt = starNameAt;
    } else return false;
  }
  while (wanted[at] === '*') at += 1;
  return at === wanted.length;
}
