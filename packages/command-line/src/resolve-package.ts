import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isJsonObject, type JsonValue, parseJson, systemErrorCode } from '@talaria/core';

/** Conditions under which an `import` chooses among the entries of a package. */
const importConditions: ReadonlySet<string> = new Set(['node', 'import', 'module-sync', 'default']);

/** The `file:` address of an installed package's entry, as an `import` in a file of `folder` would find it. */
export function resolvePackage(name: string, folder: string): string {
  const require = createRequire(join(folder, 'package.json'));
  try {
    return pathToFileURL(require.resolve(name)).href;
  } catch (error) {
    // The package exists, but only for `import`, which Node lets nobody ask on behalf of another folder.
    if (systemErrorCode(error) !== 'ERR_PACKAGE_PATH_NOT_EXPORTED') throw error;
    for (const parent of require.resolve.paths(name) ?? []) {
      const entry = importEntry(join(parent, name, 'package.json'));
      if (entry !== null) return pathToFileURL(entry).href;
    }
    throw error;
  }
}

function importEntry(manifestPath: string): string | null {
  let text: string;
  try {
    text = readFileSync(manifestPath, 'utf8');
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT' || systemErrorCode(error) === 'ENOTDIR') return null;
    throw error;
  }
  const manifest = parseJson(text);
  if (!manifest.ok || !isJsonObject(manifest.value)) return null;
  const { exports } = manifest.value;
  const target = chooseTarget(isJsonObject(exports) && exports['.'] !== undefined ? exports['.'] : exports);
  return target === null ? null : join(dirname(manifestPath), target);
}

function chooseTarget(target: JsonValue | undefined): string | null {
  if (typeof target === 'string') return target;
  if (!isJsonObject(target)) return null;
  for (const [condition, inner] of Object.entries(target)) {
    if (!importConditions.has(condition)) continue;
    const chosen = chooseTarget(inner);
    if (chosen !== null) return chosen;
  }
  return null;
}
