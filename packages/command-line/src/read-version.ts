import { readFile } from 'node:fs/promises';
import { InternalError, isJsonObject, parseJson } from '@talaria/core';

/** The version in a `package.json`. @throws InternalError `internal.no-version` where there is none */
export async function readVersion(manifestUrl: URL): Promise<string> {
  const manifest = parseJson(await readFile(manifestUrl, 'utf8'));
  if (manifest.ok && isJsonObject(manifest.value) && typeof manifest.value['version'] === 'string') {
    return manifest.value['version'];
  }
  throw new InternalError(`No version in ${manifestUrl.href}`, {
    code: 'internal.no-version',
    hint: 'Install the package again.',
  });
}
