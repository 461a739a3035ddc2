import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import {
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  rename,
  rm,
  rmdir,
  stat,
  unlink,
} from 'node:fs/promises';
import { basename, dirname, join, posix } from 'node:path';
import { isJsonObject, type JsonObject, type JsonValue, parseJson, systemErrorCode } from '@talaria/core';
import type { SandboxRoot } from '../sandbox-root/sandbox-root.ts';

/** Where the service puts its file tools inside of a sandbox. */
export const fileToolsPath = '/__modal/.bin/modal-sandbox-fs-tools';

/** A failure of the file tools, as they tell it on standard error. */
export class FileToolError extends Error {
  readonly kind: string;

  constructor(kind: string, message: string) {
    super(message);
    this.name = 'FileToolError';
    this.kind = kind;
  }
}

/** What a run of the file tools reads and writes. */
export interface FileToolStreams {
  /** Standard input. */
  readonly input: AsyncIterable<Uint8Array>;
  readonly write: (data: Uint8Array) => void;
  /** Largest file that is read. */
  readonly maxReadBytes: number;
}

const readBytes = 64 * 1024;

/** Runs one command of the file tools: JSON with one key, its name. @throws FileToolError */
export async function runFileTool(root: SandboxRoot, command: string, streams: FileToolStreams): Promise<void> {
  const { name, path, options } = parseCommand(command);
  try {
    switch (name) {
      case 'ReadFile':
        return await readFile(await root.resolve(path), streams);
      case 'WriteFile':
        return await writeFile(root, path, streams.input);
      case 'ListFiles':
        return sendJson(streams, await listFiles(root, path));
      case 'Stat':
        return sendJson(streams, await entryOf(await root.resolve(path, { isLink: true }), path));
      case 'MakeDirectory':
        await mkdir(await root.resolve(path), { recursive: options['parents'] === true });
        return;
      case 'Remove':
        return await remove(await root.resolve(path, { isLink: true }), options['recursive'] === true);
      default:
        throw new FileToolError('NotSupported', `The double has no file tool ${name}`);
    }
  } catch (error) {
    throw toFileToolError(error, path);
  }
}

function parseCommand(command: string): { name: string; path: string; options: JsonObject } {
  const parsed = parseJson(command);
  const [name, options] = parsed.ok && isJsonObject(parsed.value) ? (Object.entries(parsed.value)[0] ?? []) : [];
  if (name === undefined || options === undefined || !isJsonObject(options) || typeof options['path'] !== 'string') {
    throw new FileToolError('InvalidInput', `No command of the file tools: ${command}`);
  }
  return { name, path: options['path'], options };
}

async function readFile(place: string, streams: FileToolStreams): Promise<void> {
  const handle = await open(place, 'r');
  try {
    const found = await handle.stat();
    if (found.isDirectory()) throw new FileToolError('IsDirectory', 'It is a directory');
    if (found.size > streams.maxReadBytes) throw new FileToolError('FileTooLarge', `The file has ${found.size} bytes`);
    await copyOut(handle, streams);
  } finally {
    await handle.close();
  }
}

async function copyOut(handle: FileHandle, streams: FileToolStreams): Promise<void> {
  const buffer = Buffer.allocUnsafe(readBytes);
  for (let size = -1; size !== 0; ) {
    size = (await handle.read(buffer, 0, readBytes)).bytesRead;
    if (size > 0) streams.write(buffer.subarray(0, size));
  }
}

/** What was cut off leaves the old file as it was: only a proper end of the input puts the new one in its place. */
async function writeFile(root: SandboxRoot, path: string, input: AsyncIterable<Uint8Array>): Promise<void> {
  await makeParents(await root.resolve(posix.dirname(path)));
  const place = await root.resolve(path);
  const old = await stat(place).catch(() => null);
  if (old?.isDirectory() === true) throw new FileToolError('IsDirectory', 'It is a directory');
  const draft = join(dirname(place), `.${basename(place).slice(0, 100)}.${randomBytes(6).toString('hex')}`);
  const handle = await open(draft, 'wx', old === null ? 0o644 : old.mode & 0o7777);
  try {
    for await (const part of input) await handle.writeFile(part);
    await rename(draft, place);
  } catch (error) {
    await unlink(draft).catch(() => undefined);
    throw error;
  } finally {
    await handle.close();
  }
}

async function makeParents(place: string): Promise<void> {
  try {
    await mkdir(place, { recursive: true });
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') throw new FileToolError('AlreadyExists', 'A file is in the way');
    throw error;
  }
}

async function listFiles(root: SandboxRoot, path: string): Promise<JsonValue> {
  const place = await root.resolve(path);
  const names = (await readdir(place)).sort();
  return await Promise.all(names.map((name) => entryOf(join(place, name), posix.join(path, name))));
}

async function entryOf(place: string, path: string): Promise<JsonObject> {
  const found = await lstat(place);
  return {
    name: posix.basename(path),
    path,
    type: typeOf(found),
    size: found.size,
    mode: found.mode & 0o7777,
    permissions: permissionsOf(found.mode),
    owner: nameOf(found.uid, process.getuid?.()),
    group: nameOf(found.gid, process.getgid?.()),
    modified_time: found.mtimeMs / 1000,
    symlink_target: found.isSymbolicLink() ? await readlink(place) : null,
  };
}

function typeOf(found: Stats): string {
  if (found.isSymbolicLink()) return 'symlink';
  return found.isDirectory() ? 'directory' : 'file';
}

function permissionsOf(mode: number): string {
  return Array.from('rwxrwxrwx', (letter, index) => ((mode >> (8 - index)) & 1 ? letter : '-')).join('');
}

/** Whoever runs the double is root inside. */
function nameOf(id: number, own: number | undefined): string {
  return id === 0 || id === own ? 'root' : String(id);
}

async function remove(place: string, isRecursive: boolean): Promise<void> {
  const isDirectory = (await lstat(place)).isDirectory();
  if (!isDirectory) await unlink(place);
  else if (isRecursive) await rm(place, { recursive: true });
  else await rmdir(place);
}

function sendJson(streams: FileToolStreams, value: JsonValue): void {
  streams.write(Buffer.from(JSON.stringify(value)));
}

const kinds: Readonly<Record<string, string>> = {
  ENOENT: 'NotFound',
  ENOTDIR: 'NotDirectory',
  EISDIR: 'IsDirectory',
  EACCES: 'PermissionDenied',
  EPERM: 'PermissionDenied',
  ENOTEMPTY: 'DirectoryNotEmpty',
  EEXIST: 'PathAlreadyExists',
};

function toFileToolError(error: unknown, path: string): unknown {
  const code = systemErrorCode(error);
  return code === undefined ? error : new FileToolError(kinds[code] ?? 'Other', `${code} at ${path}`);
}
