import { createSemaphore, isTalariaError } from '@talaria/core';
import { checkLimits } from '../../check-limits.ts';
import type { DirectoryEntry, FileKind, FileOptions, FileStat, SandboxHandle } from '../../sandbox.ts';
import { downloadPath } from './download.ts';
import {
  type FileCall,
  type FileCallParts,
  openFileCall,
  pathWords,
  type RemoteFilesParts,
  runFileScript,
} from './file-call.ts';
import { listScript, makeFolderScript, moveScript, removeScript, resolveScript, statScript } from './file-scripts.ts';
import { openReadStream, readFileRange } from './read-file.ts';
import { readStatLine } from './stat-line.ts';
import { uploadPath } from './upload.ts';
import { writeFileAtomically } from './write-file.ts';

export type { RemoteFilesParts } from './file-call.ts';

/** All that a sandbox can do with files. */
export type RemoteFiles = Pick<
  SandboxHandle,
  'readFile' | 'writeFile' | 'stat' | 'list' | 'makeDirectory' | 'remove' | 'move' | 'openRead' | 'upload' | 'download'
> & {
  /** {@link SandboxHandle.resolvePath} */
  resolvePath(path: string, options?: FileOptions): Promise<string>;
};

/** Transfers at once, beside small operations. */
const maxTransfersAtOnce = 8;

/**
 * Files of a sandbox that is reached by scripts only: each small operation is one of them. Transfers (uploads, downloads,
 * streams, and files that are read or written as such) wait for one of eight places; a stream keeps its place until it ends.
 */
export function createRemoteFiles(remote: RemoteFilesParts): RemoteFiles {
  const { holder = '/' } = remote;
  const parts: FileCallParts = { ...remote, transfers: createSemaphore(maxTransfersAtOnce) };
  const open = (action: string, path: string, options: FileOptions): FileCall =>
    openFileCall(parts, action, path, options.signal);
  return {
    async resolvePath(path, options = {}) {
      const call = open('resolve', path, options);
      const [user, absolute] = call.words;
      return user === '' ? absolute : (await runFileScript(call, resolveScript)).toString();
    },
    async readFile(path, options = {}) {
      checkLimits(options);
      return await readFileRange(open('read', path, options), options);
    },
    async writeFile(path, bytes, options = {}) {
      const content = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
      await writeFileAtomically(open('write', path, options), content, options);
    },
    async stat(path, options = {}) {
      return await statPath(open('look at', path, options), options.isLink ?? false);
    },
    async list(path, options = {}) {
      return await listFolder(open('list', path, options));
    },
    async makeDirectory(path, options = {}) {
      const output = await runFileScript(open('make the folder', path, options), makeFolderScript);
      return output.toString().startsWith('1');
    },
    async remove(path, options = {}) {
      const removal = runFileScript(open('remove', path, options), removeScript, [holder]);
      return (await falseWhereMissing(removal)) !== false;
    },
    async move(from, to, options = {}) {
      await runFileScript(open('move', from, options), moveScript, [...pathWords(parts, to), holder]);
    },
    async openRead(path, options = {}) {
      return await openReadStream(open('read', path, options));
    },
    async upload(hostPath, path, options = {}) {
      checkLimits(options);
      const call = open('upload to', path, options);
      using _place = await parts.transfers.acquire(call.signal);
      return await uploadPath(call, hostPath, options);
    },
    async download(path, hostPath, options = {}) {
      checkLimits(options);
      const call = open('download', path, options);
      using _place = await parts.transfers.acquire(call.signal);
      return await downloadPath(call, hostPath, options);
    },
  };
}

/** What the system says where a path names nothing, also where a part of it is a file. */
const missingCodes: ReadonlySet<string> = new Set(['sandbox.not-found', 'sandbox.not-directory']);

async function falseWhereMissing<Result>(work: Promise<Result>): Promise<Result | false> {
  try {
    return await work;
  } catch (error) {
    if (isTalariaError(error) && missingCodes.has(error.code)) return false;
    throw error;
  }
}

async function statPath(call: FileCall, isLink: boolean): Promise<FileStat | null> {
  const output = await falseWhereMissing(runFileScript(call, statScript, [isLink ? '1' : '0']));
  if (output === false) return null;
  const end = output.indexOf('\n');
  const stat = readStatLine(output.toString('latin1', 0, end));
  if (stat?.kind !== 'symlink') return stat;
  return { ...stat, linkTarget: output.toString('utf8', end + 1) };
}

const kindOfLetter: Readonly<Record<string, FileKind>> = { f: 'file', d: 'directory', l: 'symlink' };
const maxListBytes = 268_435_456;

async function listFolder(call: FileCall): Promise<readonly DirectoryEntry[]> {
  const output = await runFileScript(call, listScript, [], { maxOutputBytes: maxListBytes });
  return output
    .toString()
    .split('\0')
    .slice(0, -1)
    .map((entry) => ({ name: entry.slice(1), kind: kindOfLetter[entry.slice(0, 1)] ?? ('other' as const) }))
    .sort((left, right) => (left.name < right.name ? -1 : left.name > right.name ? 1 : 0));
}
