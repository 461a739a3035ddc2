import { createHash, type Hash } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import { posix } from 'node:path';
import { openRegularFile, temporaryName } from '../../host-files/host-file.ts';
import { defaultMaxBytes, planTree, type TreePlan } from '../../host-files/plan-tree.ts';
import type { TransferOptions, TransferResult } from '../../sandbox.ts';
import { remoteError } from '../remote-error.ts';
import { compareSums } from './compare-sums.ts';
import { type FileCall, onHost, runFileScript } from './file-call.ts';
import { scriptExits } from './path-script.ts';
import { exitCodeOf, readAll, sendAll, withScript } from './running-script.ts';
import { scriptFailure } from './script-failure.ts';
import {
  conflictsScript,
  endMark,
  linksCameLate,
  mergeScript,
  timesScript,
  unpackedFolder,
  unpackScript,
} from './transfer-scripts.ts';
import { type ArchivedTree, archiveTree, readPieces, readUnsized, type TreeArchive } from './tree-archive.ts';
import { writeStream } from './write-file.ts';
import { discardOnFailure, secondsText } from './write-request.ts';

/** Copies a file or a folder of the host into the sandbox. */
export async function uploadPath(call: FileCall, hostPath: string, options: TransferOptions): Promise<TransferResult> {
  return await onHost(call, hostPath, async () => {
    const stats = await stat(hostPath);
    return stats.isDirectory()
      ? await uploadFolder(call, hostPath, options)
      : await uploadFile(call, hostPath, options);
  });
}

async function uploadFile(call: FileCall, hostPath: string, options: TransferOptions): Promise<TransferResult> {
  const { maxBytes = defaultMaxBytes, verifyHash = false } = options;
  await using file = await openRegularFile(hostPath, call.backend);
  const stats = await file.stat();
  // A file of size 0 may be one of `/proc`, which has bytes all the same.
  const content = stats.size === 0 ? await readUnsized(file, maxBytes) : null;
  const sizeBytes = content?.length ?? stats.size;
  if (sizeBytes > maxBytes) throw fileTooLarge(call, hostPath, sizeBytes, maxBytes);
  const sent: { hash: Hash | null } = { hash: null };
  async function* openContent(reusesPieces: boolean): AsyncIterable<Buffer> {
    sent.hash = verifyHash ? createHash('sha256') : null;
    const pieces = content === null ? readPieces(file, sizeBytes, hostPath, call, reusesPieces) : [content];
    for await (const piece of pieces) {
      sent.hash?.update(piece);
      yield piece;
    }
  }
  const sum = await writeStream(
    call,
    { sizeBytes, mode: stats.mode & 0o777, modifiedAt: stats.mtimeMs, hasSum: verifyHash },
    openContent,
  );
  const result = { files: 1, bytes: sizeBytes, skipped: [] };
  if (sent.hash === null) return result;
  const sha256 = sent.hash.digest('hex');
  if (sum === sha256) return { ...result, sha256 };
  throw scriptFailure(scriptExits.incomplete, '', call);
}

function fileTooLarge({ backend }: FileCall, path: string, bytes: number, maxBytes: number): unknown {
  return remoteError(backend, `${JSON.stringify(path)} has ${bytes} bytes; the transfer may have ${maxBytes}`, {
    code: 'sandbox.too-large',
    phase: 'transfer',
    started: false,
    hint: 'Leave large files out, or raise maxBytes.',
  });
}

async function uploadFolder(call: FileCall, hostPath: string, options: TransferOptions): Promise<TransferResult> {
  const { maxBytes = defaultMaxBytes, verifyHash = false, symlinks } = options;
  const root = await realpath(hostPath);
  const plan = await planTree(root, call.backend, { ...options, signal: call.signal });
  const base = { call, root, plan, maxBytes, followsLinks: symlinks === 'follow', hasSums: verifyHash };
  const archived = (await unpackNew(base)) ?? (await unpackInto(base));
  await compareSums(call, archived.sums);
  return { files: archived.files, bytes: archived.bytes, skipped: [...plan.skipped, ...archived.skipped] };
}

type TreeToSend = Omit<TreeArchive, 'prefix' | 'keptFolders' | 'endMark'>;

/** Sends a tree to where nothing is; it appears all at once. `null` where a folder is there already. */
async function unpackNew(tree: TreeToSend): Promise<ArchivedTree | null> {
  const { call, plan } = tree;
  const temporary = temporaryName();
  const mode = (plan.folders[0]?.stats.mode ?? 0o755) & 0o777;
  return await discardOnFailure(call, temporary, false, async () => {
    const archive = { ...tree, prefix: `${unpackedFolder}/`, keptFolders: new Set<string>(), endMark };
    return await sendTree(archive, unpackScript, [temporary, upward(plan), mode.toString(8)]);
  });
}

/** Sends a tree into a folder that is there. What it holds stays, and nothing is written through its links. */
async function unpackInto(tree: TreeToSend): Promise<ArchivedTree> {
  const { call, plan } = tree;
  const keptFolders = await findConflicts(call, plan);
  const mark = temporaryName();
  const sent = await sendTree({ ...tree, prefix: '', keptFolders, endMark: mark }, mergeScript, [mark, upward(plan)]);
  if (sent === null) throw scriptFailure(scriptExits.incomplete, '', call);
  return sent;
}

/** Whether there are links that BusyBox makes last. */
function upward({ links }: TreePlan): string {
  return links.some(leadsUpward) ? '1' : '0';
}

function leadsUpward({ target }: TreePlan['links'][number]): boolean {
  return target.split('/').includes('..');
}

/** Gives folders their times again that links were made in too late. */
async function repeatTimes({ call, plan, keptFolders }: TreeArchive): Promise<void> {
  const holders = new Set(plan.links.filter(leadsUpward).map(({ path }) => posix.dirname(path)));
  const items = plan.folders
    .filter(({ path }) => holders.has(path) && !keptFolders.has(path))
    .map(({ path, stats }) => `${secondsText(stats.mtimeMs)}\0${path}\0`);
  if (items.length > 0) await runFileScript(call, timesScript, [], { stdin: items.join('') });
}

async function sendTree(archive: TreeArchive, script: string, args: readonly string[]): Promise<ArchivedTree | null> {
  const done: ArchivedTree = { files: 0, bytes: 0, sums: new Map(), skipped: [] };
  const sent = await withScript(archive.call, [script, args], true, async (running) => {
    const reading = readAll(running.started.stdout, maxTextBytes);
    await sendAll(running.started, archiveTree(archive, done));
    const exitCode = await exitCodeOf(running, archive.call);
    const output = (await reading).toString();
    if (exitCode === scriptExits.mustMerge) return null;
    if (exitCode === 0) return output;
    throw scriptFailure(exitCode, running.complaint() || output, archive.call);
  });
  if (sent === null) return null;
  if (sent.includes(linksCameLate)) await repeatTimes(archive);
  return done;
}

const maxTextBytes = 65_536;
const maxConflictBytes = 134_217_728;

/** Gives the folders that are there already. @throws SandboxError for the first thing that is in the way */
async function findConflicts(call: FileCall, { folders, files, links }: TreePlan): Promise<ReadonlySet<string>> {
  const items = [
    ...folders.filter(({ path }) => path !== '').map(({ path }) => `d${path}`),
    ...files.map(({ path }) => `f${path}`),
    ...links.map(({ path }) => `l${path}`),
  ];
  const output = await runFileScript(call, conflictsScript, [], {
    stdin: items.map((item) => `${item}\0`).join(''),
    maxOutputBytes: maxConflictBytes,
  });
  const found = new Set(['']);
  for (const item of output.toString().split('\0').slice(0, -1)) {
    const [letter, name] = [item.slice(0, 1), item.slice(1)];
    if (letter !== 'd') throw conflictError(call, letter, name);
    found.add(name);
  }
  return found;
}

const conflicts: Readonly<Record<string, readonly [`sandbox.${string}`, string]>> = {
  L: ['sandbox.unsafe-path', 'is a link where a folder was to be made'],
  N: ['sandbox.not-directory', 'is no folder'],
  F: ['sandbox.is-directory', 'is a folder, and a file or a link was to be copied there'],
};

function conflictError({ backend, path }: FileCall, letter: string, name: string): unknown {
  const [code, what] = conflicts[letter] ?? ['sandbox.failed', `cannot be checked (${letter})`];
  return remoteError(backend, `${JSON.stringify(`${path}/${name}`)} ${what}`, {
    code,
    phase: 'transfer',
    started: true,
    hint: 'Use another target, or remove what is there first.',
  });
}
