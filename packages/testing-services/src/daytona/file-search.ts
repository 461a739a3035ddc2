import { lstat, readdir, readFile, writeFile } from 'node:fs/promises';
import { matchesGlob, posix } from 'node:path';
import { errorMessage, type JsonObject } from '@talaria/core';
import { type Answer, json } from './answer.ts';
import { queryText, type ToolboxRequest, textField } from './double-request.ts';
import { hostPath, onFile, sandboxPath } from './file-path.ts';

/** Serves `GET /files/find`: lines of files that contain a text. */
export async function findInFiles(request: ToolboxRequest): Promise<Answer> {
  const path = sandboxPath(request, queryText(request, 'path'));
  const pattern = queryText(request, 'pattern');
  const matches: JsonObject[] = [];
  for (const file of await filesBelow(request, path)) {
    const lines = (await readFile(await hostPath(request, file), 'utf8')).split('\n');
    for (const [index, content] of lines.entries()) {
      if (content.includes(pattern)) matches.push({ file, line: index + 1, content });
    }
  }
  return json(matches);
}

/** Serves `GET /files/search`: files whose name fits a pattern. */
export async function searchFiles(request: ToolboxRequest): Promise<Answer> {
  const path = sandboxPath(request, queryText(request, 'path'));
  const pattern = queryText(request, 'pattern');
  const files = await filesBelow(request, path);
  return json({ files: files.filter((file) => matchesGlob(posix.basename(file), pattern)) });
}

/** Serves `POST /files/replace`: another text for one, in some files, each with an outcome of its own. */
export async function replaceInFiles(request: ToolboxRequest): Promise<Answer> {
  const { body } = request;
  const pattern = textField(body, 'pattern');
  const newValue = typeof body['newValue'] === 'string' ? body['newValue'] : '';
  const outcomes: JsonObject[] = [];
  for (const file of Array.isArray(body['files']) ? body['files'].filter((name) => typeof name === 'string') : []) {
    try {
      const place = await hostPath(request, sandboxPath(request, file));
      await writeFile(place, (await readFile(place, 'utf8')).replaceAll(pattern, newValue));
      outcomes.push({ file, success: true });
    } catch (error) {
      outcomes.push({ file, success: false, error: errorMessage(error) });
    }
  }
  return json(outcomes);
}

async function filesBelow(request: ToolboxRequest, path: string): Promise<readonly string[]> {
  const place = await hostPath(request, path);
  const stats = await onFile(path, () => lstat(place));
  if (stats.isFile()) return [path];
  if (!stats.isDirectory()) return [];
  const files: string[] = [];
  for (const name of (await readdir(place)).sort()) files.push(...(await filesBelow(request, `${path}/${name}`)));
  return files;
}
