import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { isJsonObject, type JsonObject, parseJson, systemErrorCode } from '@talaria/core';

/** A package that a backend needs, and that its user installs. */
export interface PeerPackage {
  readonly name: string;
  /** Versions that the backend asks for; `''` where it takes any. */
  readonly range: string;
  /** What is installed: `null` for nothing, `unknown` where its manifest does not tell. */
  readonly version: string | null;
}

/** Looks for a package that sandboxes need as a backend would find it, without loading it. */
export type FindPeerPackage = (name: string) => Promise<PeerPackage>;

/** Looks from a folder with the manifest that names the package. @default that of the backends */
export async function findPeerPackage(name: string, folder: string = findBackends()): Promise<PeerPackage> {
  const peers = (await readManifest(join(folder, 'package.json')))?.['peerDependencies'];
  const asked = peers !== undefined && isJsonObject(peers) ? peers[name] : undefined;
  const base = { name, range: typeof asked === 'string' ? asked : '' };
  for (const place of createRequire(join(folder, 'package.json')).resolve.paths(name) ?? []) {
    const manifest = await readManifest(join(place, name, 'package.json'));
    if (manifest === null) continue;
    const { version } = manifest;
    return { ...base, version: typeof version === 'string' ? version : 'unknown' };
  }
  return { ...base, version: null };
}

function findBackends(): string {
  return dirname(createRequire(import.meta.url).resolve('@talaria/terminal-backends/package.json'));
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
