import { resolve } from 'node:path';
import { skipReasons } from '../../host-files/plan-tree.ts';
import { confineLink } from '../../link-target.ts';
import type { TransferOptions, TransferResult } from '../../sandbox.ts';
import { ByteReader } from './byte-reader.ts';
import { compareSums } from './compare-sums.ts';
import type { Download } from './download-script.ts';
import { readEntryPath } from './entry-path.ts';
import type { FileCall } from './file-call.ts';
import { copyLinkTargets } from './follow-links.ts';
import { scriptExits } from './path-script.ts';
import { exitCodeOf, type RunningScript } from './running-script.ts';
import { scriptFailure } from './script-failure.ts';
import { tarPadding } from './tar-header.ts';
import { readTarMessages } from './tar-messages.ts';
import { createTarReader, type ReadTarEntry } from './tar-reader.ts';
import { tarSpoke } from './transfer-scripts.ts';
import { TransferLimits, type TreeDownload } from './tree-download.ts';
import { badArchive, TreeWriter } from './tree-writer.ts';

/** Unpacks what a sandbox sends of a folder. The sandbox owns the tar program: what it sends may be anything. */
export async function downloadTree(
  call: FileCall,
  hostPath: string,
  options: TransferOptions,
  { running, streamed }: Download,
): Promise<TransferResult> {
  const bytes = new ByteReader(streamed.content);
  const root = await readRoot(bytes, call);
  await using writer = await TreeWriter.open(call, resolve(hostPath));
  const limits = new TransferLimits(call, options);
  const download: TreeDownload = {
    call,
    options,
    bytes,
    writer,
    root,
    limits,
    skipped: [],
    sums: new Map(),
    links: new Map(),
    unnamedFolders: new Set(),
  };
  const end = await unpack(download, running);
  await takeMessages(download, running, end);
  if (options.symlinks === 'follow') await copyLinkTargets(download);
  await writer.settle();
  if (options.verifyHash) await compareSums(call, download.sums);
  await writer.finish();
  return { files: limits.files, bytes: limits.bytes, skipped: download.skipped };
}

const maxPathBytes = 65_536;

/** The real path of the folder comes first, ended by NUL. */
async function readRoot(bytes: ByteReader, call: FileCall): Promise<string> {
  const path: number[] = [];
  while (path.length < maxPathBytes && (await bytes.fill(1))) {
    const [byte = 0] = bytes.take(1);
    if (byte === 0) return Buffer.from(path).toString();
    path.push(byte);
  }
  throw badArchive(call, 'it does not start with a path');
}

/** How an archive ended: completely, or with an error that what tar says may explain. */
type UnpackEnd = { readonly error: unknown } | null;

async function unpack(download: TreeDownload, running: RunningScript): Promise<UnpackEnd> {
  const { call, bytes } = download;
  const malformed: unknown[] = [];
  const tar = createTarReader(bytes, (what) => {
    const error = badArchive(call, what);
    malformed.push(error);
    return error;
  });
  try {
    for (let entry = await tar.next(); entry !== null; entry = await tar.next()) {
      call.signal?.throwIfAborted();
      await takeEntry(download, entry);
    }
    return null;
  } catch (error) {
    // An archive that was cut off is the consequence of something: then the exit code and the messages say of what.
    if (!malformed.includes(error) || !running.started.stdout.readableEnded) throw error;
    return { error };
  }
}

async function takeEntry(download: TreeDownload, entry: ReadTarEntry): Promise<void> {
  const { call, bytes, writer, limits } = download;
  const name = readEntryPath(entry.name);
  if (name.kind === 'unsafe') throw badArchive(call, `it names ${JSON.stringify(name.text)}`);
  if (name.kind === 'not-utf8') {
    // What lies in a folder that is left out is not told of again.
    if (!name.parents.some((parent) => download.unnamedFolders.has(parent))) {
      skip(download, name.text, skipReasons.badName);
      if (entry.kind === 'directory') download.unnamedFolders.add(name.text);
    }
    await skipContent(download, entry);
    return;
  }
  const { path } = name;
  const stats = { mode: entry.mode, modifiedAt: entry.modifiedAt };
  switch (entry.kind) {
    case 'directory':
      if (path !== '') limits.add('folders');
      await writer.addFolder(path, stats);
      break;
    case 'file': {
      if (path === '') throw badArchive(call, 'it has a file in the place of the folder');
      if (writer.kindOf(path) === 'file') limits.takeBackFile();
      limits.add('files', entry.sizeBytes);
      const onSum = (sum: string) => download.sums.set(path, sum);
      const content = { reader: bytes, sizeBytes: entry.sizeBytes };
      await writer.addFile(path, stats, download.options.verifyHash ? { ...content, onSum } : content);
      if (!(await bytes.skip(tarPadding(entry.sizeBytes)))) throw badArchive(call, 'it ends in a file');
      return;
    }
    case 'hard-link':
      await takeHardLink(download, path, entry);
      break;
    case 'symlink':
      await takeLink(download, path, entry);
      break;
    case 'other':
      skip(download, path, skipReasons.irregular);
  }
  await skipContent(download, entry);
}

/** Passes over the content of what is left out. */
async function skipContent({ call, bytes, limits }: TreeDownload, { sizeBytes }: ReadTarEntry): Promise<void> {
  if (sizeBytes === 0) return;
  limits.add('others', sizeBytes);
  if (!(await bytes.skip(sizeBytes + tarPadding(sizeBytes)))) throw badArchive(call, 'it ends in a file');
}

function skip({ skipped, limits }: TreeDownload, path: string, reason: string): void {
  limits.add('others');
  skipped.push({ path, reason });
}

/** A file with two names is copied twice, as a file each. */
async function takeHardLink(download: TreeDownload, path: string, entry: ReadTarEntry): Promise<void> {
  const { writer, limits, sums } = download;
  const source = readEntryPath(entry.linkName);
  if (source.kind !== 'path' || writer.kindOf(source.path) !== 'file') {
    skip(download, path, 'another name of a file that was left out');
    return;
  }
  if (source.path === path) return;
  if (writer.kindOf(path) === 'file') limits.takeBackFile();
  // The limit comes first: a few bytes of an archive can name a large file many times.
  limits.add('files', await writer.sizeOf(source.path));
  await writer.addCopy(path, source.path);
  const sum = sums.get(source.path);
  if (sum !== undefined) sums.set(path, sum);
}

async function takeLink(download: TreeDownload, path: string, entry: ReadTarEntry): Promise<void> {
  const { call, options, root, writer, limits } = download;
  const { symlinks = 'preserve' } = options;
  if (path === '') throw badArchive(call, 'it has a link in the place of the folder');
  if (symlinks === 'skip') {
    skip(download, path, skipReasons.link);
    return;
  }
  const written = entry.linkName.toString();
  if (symlinks === 'follow') {
    limits.add('others');
    download.links.set(path, written);
    return;
  }
  const isText = Buffer.from(written).equals(entry.linkName) && !written.includes('\0');
  const target = isText ? confineLink(path, written, root) : null;
  if (target === null) {
    skip(download, path, isText ? skipReasons.outsideLink : skipReasons.badName);
    return;
  }
  limits.add('others');
  await writer.addLink(path, target);
}

/** More than this after its end mark is no padding: GNU tar fills up a record, and where both outputs are one, its messages come. */
const maxTailBytes = 4_194_304;

/** Waits for the end of tar, and decides whether what it says is a failure. */
async function takeMessages(download: TreeDownload, running: RunningScript, end: UnpackEnd): Promise<void> {
  const { call, bytes, limits } = download;
  if (await bytes.fill(maxTailBytes)) throw badArchive(call, 'it does not end after its end mark');
  const tail = bytes.take(bytes.bufferedBytes);
  const exitCode = await exitCodeOf(running, call);
  const said = running.started.stderr === null ? tail.toString('latin1').replace(/^\0+/, '') : running.complaint();
  const messages = readTarMessages(said);
  const isFailure = exitCode !== 0 && (exitCode !== tarSpoke || messages.rest !== '' || said === '');
  if (isFailure) {
    const text = Buffer.from(messages.rest, 'latin1').toString();
    throw scriptFailure(exitCode === tarSpoke ? scriptExits.toolFailed : exitCode, text, call);
  }
  if (end !== null) throw end.error;
  for (const { path, reason } of messages.skipped) skip(download, path, reason);
  for (const { path, bytes: missing } of messages.shortened) {
    if (download.writer.kindOf(path) !== 'file') continue;
    limits.bytes -= await download.writer.shorten(path, missing);
    download.sums.delete(path);
  }
}
