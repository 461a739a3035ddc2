/** Size of a header, and what contents are padded to. */
export const tarBlockBytes = 512;

/** What an entry of an archive is. */
export type TarKind = 'file' | 'directory' | 'symlink' | 'hard-link' | 'other';

/** The header of an entry, as it is in the archive: names are bytes, and may be anything. */
export interface TarHeader {
  readonly name: Buffer;
  readonly type: string;
  readonly mode: number;
  readonly sizeBytes: number;
  /** Seconds since 1970. */
  readonly modifiedSeconds: number;
  readonly linkName: Buffer;
}

const kindOfType: Readonly<Record<string, TarKind>> = {
  '0': 'file',
  '\0': 'file',
  '7': 'file',
  '1': 'hard-link',
  '2': 'symlink',
  '5': 'directory',
};

/** The kind that the type letter of a header stands for. */
export function tarKindOf(type: string): TarKind {
  return kindOfType[type] ?? 'other';
}

/** Reads a header; `null` where the block is none. */
export function readTarHeader(block: Buffer): TarHeader | null {
  if (readNumber(block, 148, 8) !== checksumOf(block)) return null;
  const name = readName(block, 0, 100);
  const prefix = block.toString('latin1', 257, 263) === 'ustar\0' ? readName(block, 345, 155) : Buffer.alloc(0);
  const sizeBytes = readNumber(block, 124, 12);
  const modifiedSeconds = readNumber(block, 136, 12);
  if (sizeBytes === null || sizeBytes < 0 || modifiedSeconds === null) return null;
  return {
    name: prefix.length > 0 ? Buffer.concat([prefix, Buffer.from('/'), name]) : name,
    type: block.toString('latin1', 156, 157),
    mode: (readNumber(block, 100, 8) ?? 0) & 0o7777,
    sizeBytes,
    modifiedSeconds,
    linkName: readName(block, 157, 100),
  };
}

/** An entry that is to be written. */
export interface TarEntry {
  readonly name: string;
  readonly kind: 'file' | 'directory' | 'symlink';
  readonly mode: number;
  readonly sizeBytes: number;
  /** Seconds since 1970. */
  readonly modifiedSeconds: number;
  readonly linkName?: string | undefined;
  /** Numbers of its user and its group. @default 0 and 0 */
  readonly owner?: { readonly userId: number; readonly groupId: number } | undefined;
}

const typeOfKind = { file: '0', directory: '5', symlink: '2' } as const;
const maxNameBytes = 100;

/**
 * Writes the header of an entry. Names that are too long for it come before, in the form of GNU tar, which BusyBox reads
 * too, and so does the fraction of the time, in the form of POSIX, which BusyBox passes over.
 */
export function writeTarHeader(entry: TarEntry): Buffer {
  const name = Buffer.from(entry.kind === 'directory' ? `${entry.name}/` : entry.name);
  const linkName = Buffer.from(entry.linkName ?? '');
  const parts: Buffer[] = [];
  if (!Number.isInteger(entry.modifiedSeconds)) parts.push(...paxTime(entry.modifiedSeconds));
  if (linkName.length > maxNameBytes) parts.push(...longName('K', linkName));
  if (name.length > maxNameBytes) parts.push(...longName('L', name));
  parts.push(headerBlock(name, linkName, typeOfKind[entry.kind], entry));
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
}

/** Zeros that fill the last block of a content. */
export function tarPadding(sizeBytes: number): number {
  return (tarBlockBytes - (sizeBytes % tarBlockBytes)) % tarBlockBytes;
}

type HeaderNumbers = Pick<TarEntry, 'mode' | 'sizeBytes' | 'modifiedSeconds' | 'owner'>;

function headerBlock(name: Buffer, linkName: Buffer, type: string, numbers: HeaderNumbers): Buffer {
  const block = Buffer.alloc(tarBlockBytes);
  name.copy(block, 0, 0, maxNameBytes);
  writeNumber(block, 100, 8, numbers.mode);
  writeNumber(block, 108, 8, numbers.owner?.userId ?? 0);
  writeNumber(block, 116, 8, numbers.owner?.groupId ?? 0);
  writeNumber(block, 124, 12, numbers.sizeBytes);
  writeNumber(block, 136, 12, Math.floor(numbers.modifiedSeconds));
  block.write(type, 156, 'latin1');
  linkName.copy(block, 157, 0, maxNameBytes);
  block.write('ustar\x0000', 257, 'latin1');
  block.write(`${checksumOf(block).toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

const plainNumbers = { mode: 0o644, modifiedSeconds: 0 };

function longName(type: 'K' | 'L', name: Buffer): readonly Buffer[] {
  const content = Buffer.concat([name, Buffer.alloc(1)]);
  const numbers = { ...plainNumbers, sizeBytes: content.length };
  const header = headerBlock(Buffer.from('././@LongLink'), Buffer.alloc(0), type, numbers);
  return [header, content, Buffer.alloc(tarPadding(content.length))];
}

function paxTime(seconds: number): readonly Buffer[] {
  // A double has about a microsecond of these numbers; more digits would be noise.
  const record = ` mtime=${seconds.toFixed(6)}\n`;
  let length = record.length + 1;
  while (String(length).length + record.length !== length) length = String(length).length + record.length;
  const content = Buffer.from(`${length}${record}`);
  const numbers = { ...plainNumbers, sizeBytes: content.length };
  const header = headerBlock(Buffer.from('PaxHeader/time'), Buffer.alloc(0), 'x', numbers);
  return [header, content, Buffer.alloc(tarPadding(content.length))];
}

/** Octal digits, or, where they do not suffice, the binary form of GNU tar. */
function writeNumber(block: Buffer, at: number, length: number, value: number): void {
  const digits = value < 0 ? '' : value.toString(8);
  if (value >= 0 && digits.length < length) {
    block.write(`${digits.padStart(length - 1, '0')}\0`, at, 'latin1');
    return;
  }
  block.fill(value < 0 ? 0xff : 0, at, at + length);
  block.writeBigInt64BE(BigInt(value), at + length - 8);
  block[at] = value < 0 ? 0xff : 0x80;
}

function readNumber(block: Buffer, at: number, length: number): number | null {
  const first = block[at] ?? 0;
  if (first === 0x80 || first === 0xff) {
    const value = length >= 8 ? Number(block.readBigInt64BE(at + length - 8)) : 0;
    // In a field of eight bytes the first of them is the mark itself.
    const isSafe = length > 8 && Number.isSafeInteger(value);
    return isSafe ? value : null;
  }
  const digits = block.toString('latin1', at, at + length).replaceAll(/[\0 ]+$|^[\0 ]+/g, '');
  if (digits === '') return 0;
  return /^[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : null;
}

function readName(block: Buffer, at: number, length: number): Buffer {
  const field = block.subarray(at, at + length);
  const end = field.indexOf(0);
  return Buffer.from(end < 0 ? field : field.subarray(0, end));
}

/** The sum of all bytes, those of the checksum taken for spaces. */
function checksumOf(block: Buffer): number {
  let sum = 8 * 0x20;
  for (let index = 0; index < tarBlockBytes; index += 1) {
    if (index < 148 || index >= 156) sum += block[index] ?? 0;
  }
  return sum;
}
