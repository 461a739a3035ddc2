import { chmod, chown, lstat, readdir, rename, rm, rmdir, stat, unlink } from 'node:fs/promises';
import { posix } from 'node:path';
import { type JsonObject, makeFolder } from '@talaria/core';
import { daemonError, empty, json } from './answer.ts';
import { downloadFiles, uploadFiles } from './bulk-files.ts';
import { queryText, type ToolboxRequest } from './double-request.ts';
import { fileInfoJson } from './file-info.ts';
import { hostPath, onFile, sandboxPath } from './file-path.ts';
import { findInFiles, replaceInFiles, searchFiles } from './file-search.ts';
import type { ToolboxHandler } from './toolbox-handler.ts';

/** The routes of files. */
export function createFileRoutes(): Readonly<Record<string, ToolboxHandler>> {
  return {
    'GET /files': async (request) => {
      const path = sandboxPath(request, request.query.get('path') ?? '.');
      return json(await onFile(path, () => listFolder(request, path, Number(request.query.get('depth') ?? 1))));
    },
    'GET /files/info': async (request) => {
      const path = sandboxPath(request, queryText(request, 'path'));
      const stats = await onFile(path, async () => stat(await hostPath(request, path)));
      return json(fileInfoJson(posix.basename(path), path, stats));
    },
    'POST /files/folder': async (request) => {
      const path = sandboxPath(request, queryText(request, 'path'));
      const mode = octal(request.query.get('mode') ?? '755');
      await onFile(path, async () => makeFolder(await hostPath(request, path), { mode }));
      return empty(201);
    },
    'DELETE /files': async (request) => {
      const path = sandboxPath(request, queryText(request, 'path'));
      await onFile(path, () => removeFile(request, path));
      return empty(204);
    },
    'POST /files/move': async (request) => {
      const source = sandboxPath(request, queryText(request, 'source'));
      const destination = sandboxPath(request, queryText(request, 'destination'));
      await onFile(source, async () =>
        rename(await hostPath(request, source, true), await hostPath(request, destination, true)),
      );
      return empty(200);
    },
    'POST /files/permissions': async (request) => {
      const path = sandboxPath(request, queryText(request, 'path'));
      await onFile(path, () => setPermissions(request, path));
      return empty(200);
    },
    'POST /files/bulk-upload': uploadFiles,
    'POST /files/bulk-download': downloadFiles,
    'GET /files/find': findInFiles,
    'GET /files/search': searchFiles,
    'POST /files/replace': replaceInFiles,
  };
}

async function listFolder(request: ToolboxRequest, path: string, depth: number): Promise<readonly JsonObject[]> {
  const folder = await hostPath(request, path);
  const entries: JsonObject[] = [];
  for (const name of (await readdir(folder)).sort()) {
    const stats = await lstat(`${folder}/${name}`);
    entries.push(fileInfoJson(name, `${path}/${name}`, stats));
    if (depth > 1 && stats.isDirectory()) entries.push(...(await listFolder(request, `${path}/${name}`, depth - 1)));
  }
  return entries;
}

async function removeFile(request: ToolboxRequest, path: string): Promise<void> {
  const place = await hostPath(request, path, true);
  const isFolder = (await lstat(place)).isDirectory();
  const isRecursive = request.query.get('recursive') === 'true';
  if (isFolder && !isRecursive) {
    throw daemonError(400, 'BAD_REQUEST', `cannot delete directory without recursive flag: ${path}`);
  }
  if (!isFolder) await unlink(place);
  else if (isRecursive) await rm(place, { recursive: true });
  else await rmdir(place);
}

async function setPermissions(request: ToolboxRequest, path: string): Promise<void> {
  const place = await hostPath(request, path);
  const { query } = request;
  const mode = query.get('mode');
  if (mode !== null && mode !== '') await chmod(place, octal(mode));
  const [owner, group] = [query.get('owner') ?? '', query.get('group') ?? ''];
  if (owner === '' && group === '') return;
  const stats = await stat(place);
  await chown(place, owner === '' ? stats.uid : numberOf(owner), group === '' ? stats.gid : numberOf(group));
}

function octal(text: string): number {
  const mode = Number.parseInt(text, 8);
  if (!/^[0-7]+$/.test(text)) throw daemonError(400, 'BAD_REQUEST', 'invalid mode format');
  return mode;
}

/** Names are known for the users that every sandbox has. */
function numberOf(user: string): number {
  const id = user === 'root' ? 0 : user === 'daytona' ? 1000 : Number(user);
  if (!Number.isInteger(id)) throw daemonError(400, 'BAD_REQUEST', `invalid user or group: ${user}`);
  return id;
}
