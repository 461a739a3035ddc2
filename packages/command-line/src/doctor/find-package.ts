import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { isJsonObject, type JsonObject, parseJson, systemErrorCode } from '@talaria/core';

/** An installed package. */
export interface FoundPackage {
  /** `unknown` where its manifest does not tell. */
  readonly version: string;
}

/**
 * Looks for a package that sandboxes need as a backend would find it, without loading it; `null` where there is none.
 */
export async function findPeerPackage(name: string): Promise<FoundPackage | null> {
  const require = createRequire(import.meta.url);
  const backends = dirname(require.resolve('@talaria/terminal-backends/package.json'));
  const folders = createRequire(join(backends, 'package.json')).resolve.paths(name) ?? [];
  for (const folder of folders) {
    const manifest = await readManifest(join(folder, name, 'package.json'));
    if (manifest === null) continue;
    const { version } = manifest;
    return { version: typeof version === 'string' ? version : 'unknown' };
  }
  return null;
}

async function readManifest(path: string): Promise<JsonObject | null> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
  const parsed = parseJson(text);
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
}
