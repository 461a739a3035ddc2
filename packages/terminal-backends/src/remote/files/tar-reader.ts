import type { ByteReader } from './byte-reader.ts';
import { readTarHeader, type TarHeader, type TarKind, tarBlockBytes, tarKindOf, tarPadding } from './tar-header.ts';

/** An entry of an archive. Its content is next in the reader, and must be taken before the next entry is asked for. */
export interface ReadTarEntry {
  readonly name: Buffer;
  readonly kind: TarKind;
  readonly mode: number;
  readonly sizeBytes: number;
  /** Milliseconds since 1970. */
  readonly modifiedAt: number;
  readonly linkName: Buffer;
}

/** A source of entries. */
export interface TarReader {
  /** The next entry; `null` after the end mark. Rejects with what `fail` gives where the archive is none, or ends too soon. */
  next(): Promise<ReadTarEntry | null>;
}

/** Longest name, and longest header of POSIX, that is taken. Both are read into memory. */
const maxMetadataBytes = 262_144;
/** How many headers may come before one entry: a link has two names, and one header of POSIX. */
const maxHeadersInARow = 8;

interface Pending {
  name?: Buffer;
  linkName?: Buffer;
  sizeBytes?: number;
  modifiedSeconds?: number;
}

/** Reads an archive of GNU or BusyBox tar, in the old, the GNU or the POSIX format. The archive may be hostile. */
export function createTarReader(bytes: ByteReader, fail: (what: string) => unknown): TarReader {
  async function readHeader(): Promise<TarHeader | null> {
    if (!(await bytes.fill(tarBlockBytes))) throw fail('it ends before its end mark');
    const block = bytes.take(tarBlockBytes);
    if (block.every((byte) => byte === 0)) return null;
    const header = readTarHeader(block);
    if (header === null) throw fail(`it has a damaged header: ${JSON.stringify(block.toString('latin1', 0, 100))}`);
    return header;
  }

  async function readMetadata(header: TarHeader): Promise<Buffer> {
    if (header.sizeBytes > maxMetadataBytes) throw fail(`a name or header in it has ${header.sizeBytes} bytes`);
    if (!(await bytes.fill(header.sizeBytes + tarPadding(header.sizeBytes)))) throw fail('it ends in a header');
    const content = Buffer.from(bytes.take(header.sizeBytes));
    bytes.take(tarPadding(header.sizeBytes));
    return content;
  }

  return {
    async next() {
      const pending: Pending = {};
      for (let count = 0; count < maxHeadersInARow; count += 1) {
        const header = await readHeader();
        if (header === null) return null;
        if (header.type === 'L') pending.name = untilNul(await readMetadata(header));
        else if (header.type === 'K') pending.linkName = untilNul(await readMetadata(header));
        else if (header.type === 'x') readRecords(await readMetadata(header), pending, fail);
        else if (header.type === 'g') await readMetadata(header);
        else return entryOf(header, pending);
      }
      throw fail('it has too many headers in a row');
    },
  };
}

function entryOf(header: TarHeader, pending: Pending): ReadTarEntry {
  const kind = tarKindOf(header.type);
  const name = pending.name ?? header.name;
  // In the oldest format a folder is a file whose name ends with a slash.
  const isOldFolder = kind === 'file' && name.at(-1) === slash;
  return {
    name,
    kind: isOldFolder ? 'directory' : kind,
    mode: header.mode,
    sizeBytes: kind === 'file' || kind === 'other' ? (pending.sizeBytes ?? header.sizeBytes) : 0,
    modifiedAt: (pending.modifiedSeconds ?? header.modifiedSeconds) * 1_000,
    linkName: pending.linkName ?? header.linkName,
  };
}

const slash = 0x2f;

function untilNul(content: Buffer): Buffer {
  const end = content.indexOf(0);
  return end < 0 ? content : content.subarray(0, end);
}

const space = 0x20;

/** Reads `LENGTH KEY=VALUE` lines; values are bytes, so they are cut out by their lengths. */
function readRecords(content: Buffer, pending: Pending, fail: (what: string) => unknown): void {
  for (let at = 0; at < content.length; ) {
    const gap = content.indexOf(space, at);
    const length = gap < 0 ? 0 : Number(content.toString('latin1', at, gap));
    if (!Number.isSafeInteger(length) || length < gap - at + 3 || at + length > content.length) {
      throw fail('it has a damaged header of POSIX');
    }
    const record = content.subarray(gap + 1, at + length - 1);
    at += length;
    const equals = record.indexOf('=');
    const key = record.toString('latin1', 0, Math.max(equals, 0));
    takeRecord(key, record.subarray(equals + 1), pending, fail);
  }
}

function takeRecord(key: string, value: Buffer, pending: Pending, fail: (what: string) => unknown): void {
  if (key === 'path') pending.name = value;
  else if (key === 'linkpath') pending.linkName = value;
  else if (key === 'mtime' || key === 'size') {
    const number = Number(value.toString('latin1'));
    const isValid = key === 'mtime' ? Number.isFinite(number) : Number.isSafeInteger(number) && number >= 0;
    if (!isValid) throw fail(`it says that a ${key} is ${JSON.stringify(value.toString('latin1', 0, 40))}`);
    if (key === 'mtime') pending.modifiedSeconds = number;
    else pending.sizeBytes = number;
  }
}
