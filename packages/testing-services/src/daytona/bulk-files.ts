import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, open, rename, rm, stat } from 'node:fs/promises';
import { posix } from 'node:path';
import { Readable } from 'node:stream';
import { errorMessage, makeFolder } from '@talaria/core';
import { type Answer, daemonError, errorBody, json } from './answer.ts';
import type { ToolboxRequest } from './double-request.ts';
import { fileError } from './file-errors.ts';
import { hostPath, sandboxPath } from './file-path.ts';
import { boundaryOf, collect, readForm } from './multipart-reader.ts';

const boundary = 'DAYTONA-FILE-BOUNDARY';

/** Serves an upload: fields `files[N].path`, each followed by its `files[N].file`. */
export async function uploadFiles(request: ToolboxRequest): Promise<Answer> {
  const formBoundary = boundaryOf(request.headers['content-type'] ?? '');
  if (formBoundary === null) return json({ errors: ['invalid multipart form'] }, 400);
  const paths = new Map<string, string>();
  const files: { path: string; bytes: number }[] = [];
  const errors: string[] = [];
  try {
    for await (const part of readForm(request.incoming, formBoundary)) {
      const [, index = '', kind] = /^files\[(\d+)\]\.(path|file)$/.exec(part.name) ?? [];
      if (kind === 'path') {
        paths.set(
          index,
          Buffer.concat(await collect(part.body))
            .toString('utf8')
            .trim(),
        );
      } else if (kind === 'file') {
        const path = paths.get(index);
        if (path === undefined) errors.push(`file[${index}]: missing .path metadata`);
        else await storeFile(request, path, part.body, files, errors);
      }
    }
  } catch (error) {
    errors.push(`reading part: ${errorMessage(error)}`);
  }
  return errors.length > 0 ? json({ errors, files }, 400) : json({ files });
}

/** Writes beside the target and renames, so that nobody sees half a file; parents are made, a link is followed. */
async function storeFile(
  request: ToolboxRequest,
  path: string,
  body: AsyncIterable<Buffer>,
  files: { path: string; bytes: number }[],
  errors: string[],
): Promise<void> {
  let temporary: string | undefined;
  try {
    const target = await hostPath(request, sandboxPath(request, path));
    await makeFolder(posix.dirname(target));
    temporary = posix.join(posix.dirname(target), `.daytona-upload-${randomUUID()}`);
    let bytes = 0;
    {
      await using file = await open(temporary, 'wx', 0o600);
      for await (const piece of body) {
        await file.writeFile(piece);
        bytes += piece.length;
      }
    }
    await chmod(temporary, 0o644);
    await rename(temporary, target);
    files.push({ path, bytes });
  } catch (error) {
    errors.push(`${path}: ${errorMessage(error)}`);
    if (temporary !== undefined) await rm(temporary, { force: true });
  }
}

/** Serves a download: one part for each path, named `file`, or `error` with the reason as JSON. */
export async function downloadFiles(request: ToolboxRequest): Promise<Answer> {
  const { paths } = request.body;
  if (!Array.isArray(paths) || paths.length === 0) {
    throw daemonError(400, 'INVALID_REQUEST_BODY', 'request body must be {"paths": [ ... ]} and non-empty');
  }
  const wanted = paths.filter((path) => typeof path === 'string');
  return {
    status: 200,
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: Readable.from(formOf(request, wanted)),
  };
}

async function* formOf(request: ToolboxRequest, paths: readonly string[]): AsyncGenerator<Buffer> {
  for (const path of paths) {
    const file = await openFile(request, path);
    if ('error' in file) {
      const { status, message, fields } = file.error;
      yield partHead('error', path, 'application/json');
      yield Buffer.from(JSON.stringify(errorBody({ method: request.method, path }, status, { message, ...fields })));
    } else {
      yield partHead('file', path, 'application/octet-stream', file.bytes);
      for await (const piece of file.body) yield piece;
    }
    yield Buffer.from('\r\n');
  }
  yield Buffer.from(`--${boundary}--\r\n`);
}

type OpenedFile =
  | { readonly body: AsyncIterable<Buffer>; readonly bytes: number }
  | { readonly error: ReturnType<typeof fileError> };

async function openFile(request: ToolboxRequest, path: string): Promise<OpenedFile> {
  try {
    const place = await hostPath(request, sandboxPath(request, path));
    const stats = await stat(place);
    if (stats.isDirectory()) throw daemonError(400, 'INVALID_FILE_PATH', `path points to a directory: ${path}`);
    return { body: createReadStream(place), bytes: stats.size };
  } catch (error) {
    return { error: fileError(error, path) };
  }
}

/** The name is written as it is, without any quoting, as the daemon does it. */
function partHead(field: string, path: string, contentType: string, bytes?: number): Buffer {
  const lines = [
    `--${boundary}`,
    `Content-Disposition: form-data; name="${field}"; filename="${path}"`,
    `Content-Type: ${contentType}`,
    ...(bytes === undefined ? [] : [`Content-Length: ${bytes}`]),
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`);
}
