import { createHash } from 'node:crypto';

const maxNameChars = 64;
const hashChars = 8;

/**
 * A name that model providers accept, of at most 64 characters, and that is none of those taken. Where it had to be cut, or
 * would be one that is taken, it ends in a hash of the server's own name, so that it is the same in every run.
 */
export function createToolName(prefix: string, ownName: string, taken: ReadonlySet<string>): string {
  const wanted = prefix + ownName.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
  if (wanted.length <= maxNameChars && !taken.has(wanted)) return wanted;
  const hash = createHash('sha256').update(ownName).digest('hex').slice(0, hashChars);
  return `${wanted.slice(0, maxNameChars - hashChars - 1)}_${hash}`;
}
