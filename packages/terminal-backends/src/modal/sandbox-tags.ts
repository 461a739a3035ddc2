import type { NewSandboxMarks, SandboxMarks } from '../ledger/sandbox-marks.ts';
import type { SandboxOwner } from '../ledger/sandbox-owner.ts';

/** What the tags of a sandbox tell of it. */
export interface ModalMarks extends SandboxMarks {
  /** Its name, which is its id here. */
  readonly name: string;
  /** Milliseconds since 1970; `null` where it cannot be read. */
  readonly createdAt: number | null;
}

/** Tag of every sandbox of Talaria, to look for. */
export const sandboxTag: Readonly<Record<string, string>> = { talaria: '1' };

/** Tags for a new sandbox: with them, whoever finds it knows whose it is. */
export function writeTags(
  marks: NewSandboxMarks & {
    readonly name: string;
    readonly runId: string | undefined;
    readonly createdAt: number;
  },
): Record<string, string> {
  const { name, taskId, runId, owner, createdAt, expiresAt } = marks;
  const { host, bootId, pidNamespace, pid, startMark } = owner;
  return {
    ...sandboxTag,
    'talaria-name': encodeTag(name),
    'talaria-task': encodeTag(taskId),
    ...(runId === undefined ? {} : { 'talaria-run': encodeTag(runId) }),
    // In parts, since the length of a tag is limited.
    'talaria-host': encodeTag(host),
    'talaria-boot': encodeTag(bootId),
    'talaria-namespace': encodeTag(pidNamespace),
    'talaria-process': `${pid}.${encodeTag(startMark)}`,
    'talaria-created': String(createdAt),
    'talaria-expires': String(expiresAt),
  };
}

/** Reads such tags. */
export function readTags(tags: Readonly<Record<string, string>>): ModalMarks {
  return {
    name: decodeTag(tags['talaria-name'] ?? ''),
    taskId: decodeTag(tags['talaria-task'] ?? ''),
    owner: readOwner(tags),
    createdAt: readTime(tags['talaria-created']),
    expiresAt: readTime(tags['talaria-expires']),
  };
}

/** Whether a sandbox with these tags is the one that those were written for. */
export function isSameSandbox(
  tags: Readonly<Record<string, string>>,
  written: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(written).every(([name, value]) => tags[name] === value);
}

function readOwner(tags: Readonly<Record<string, string>>): SandboxOwner | null {
  const { 'talaria-host': host, 'talaria-boot': bootId, 'talaria-namespace': pidNamespace } = tags;
  const [, pid, startMark] = /^(\d+)\.(.*)$/.exec(tags['talaria-process'] ?? '') ?? [];
  if (host === undefined || bootId === undefined || pidNamespace === undefined || startMark === undefined) return null;
  return {
    host: decodeTag(host),
    bootId: decodeTag(bootId),
    pidNamespace: decodeTag(pidNamespace),
    pid: Number(pid),
    startMark: decodeTag(startMark),
  };
}

function readTime(text: string | undefined): number | null {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : null;
}

/** Modal does not say which tags it takes; these are sure to be fine, as names of its other things are. */
const maxTagLength = 63;

/** Letters, digits and dashes stay; any other byte becomes `_` and two hex digits. What is too long is cut. */
function encodeTag(text: string): string {
  let encoded = '';
  for (const byte of Buffer.from(text)) {
    const character = String.fromCharCode(byte);
    const part = /[A-Za-z0-9-]/.test(character) ? character : `_${byte.toString(16).padStart(2, '0')}`;
    if (encoded.length + part.length > maxTagLength) break;
    encoded += part;
  }
  return encoded;
}

function decodeTag(tag: string): string {
  return Buffer.from(
    tag.replace(/_([0-9a-f]{2})/g, (_whole, digits: string) => String.fromCharCode(Number.parseInt(digits, 16))),
    'latin1',
  ).toString('utf8');
}
