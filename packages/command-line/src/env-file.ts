import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withEnvFile } from '@talaria/config';
import { ConfigError, errorMessage, systemErrorCode } from '@talaria/core';
import type { Host } from './host.ts';

/** A host whose variables hold those of the `.env` file in its folder, where they were not set already. */
export async function loadEnvFile(host: Host): Promise<Host> {
  const path = join(host.cwd, '.env');
  const text = await readIfThere(path);
  return text === null ? host : { ...host, variables: withEnvFile(host.variables, text) };
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const code = systemErrorCode(error);
    // A folder of that name is somebody's virtual environment.
    if (code === 'ENOENT' || code === 'EISDIR' || code === 'ENOTDIR') return null;
    throw new ConfigError(`Cannot read ${path}: ${errorMessage(error)}`, {
      code: 'config.unreadable-file',
      hint: 'Make the file readable, or move it away.',
      cause: error,
    });
  }
}
