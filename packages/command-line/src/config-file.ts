import { resolve } from 'node:path';
import { maxConfigFileChars } from '@talaria/config';
import { ConfigError, errorMessage } from '@talaria/core';
import type { Host } from './host.ts';
import { readStart } from './read-start.ts';
import { expandHome } from './state-folder.ts';

/** The text of a configuration file, and its name for messages. */
export interface ConfigFile {
  readonly text: string;
  /** Absolute. */
  readonly fileName: string;
}

/**
 * Reads a file that the user named.
 *
 * @param role what it is, for errors. @default 'configuration file'
 * @throws ConfigError `config.unreadable-file`
 */
export async function readConfigFile(host: Host, path: string, role = 'configuration file'): Promise<ConfigFile> {
  const fileName = resolve(host.cwd, expandHome(path, host.homeFolder));
  try {
    return { text: await readStart(fileName, maxConfigFileChars * 4 + 1), fileName };
  } catch (error) {
    throw new ConfigError(`Cannot read the ${role} ${fileName}: ${errorMessage(error)}`, {
      code: 'config.unreadable-file',
      hint: 'Check the path; it is taken relative to the folder in which you are.',
      cause: error,
    });
  }
}
