import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError, errorMessage } from '@talaria/core';
import type { Host } from '../host.ts';
import { expandHome } from '../state-folder.ts';

/**
 * Reads a text as it arrives, from a file or, for `null`, from standard input. What is no UTF-8 becomes U+FFFD; a piece
 * never ends inside a character.
 * @throws ConfigError `config.unreadable-file`
 */
export async function* readText(host: Host, fileName: string | null): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  const path = fileName === null ? null : resolve(host.cwd, expandHome(fileName, host.homeFolder));
  const source: AsyncIterable<Uint8Array> = path === null ? host.stdin.read() : createReadStream(path);
  try {
    for await (const bytes of source) {
      const piece = decoder.decode(bytes, { stream: true });
      if (piece !== '') yield piece;
    }
  } catch (error) {
    throw new ConfigError(`Cannot read ${path ?? 'standard input'}: ${errorMessage(error)}`, {
      code: 'config.unreadable-file',
      hint: 'Name a file that can be read, or pass the text to standard input: talaria parse … < reply.txt',
      cause: error,
    });
  }
  const rest = decoder.decode();
  if (rest !== '') yield rest;
}
