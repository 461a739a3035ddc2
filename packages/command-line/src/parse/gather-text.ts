import { ConfigError } from '@talaria/core';

/** Longest text that is kept, in UTF-16 units: as JSON, escaped throughout, it still fits into one string. */
const maxChars = 80 * 1024 * 1024;

/** A text that is kept while it arrives. */
export interface GatheredText {
  /** @throws ConfigError `config.text-too-long` */
  add(piece: string): void;
  /** All of it. */
  join(): string;
}

/** Starts with nothing. */
export function gatherText(): GatheredText {
  const pieces: string[] = [];
  let length = 0;
  return {
    add(piece) {
      length += piece.length;
      if (length > maxChars) {
        throw new ConfigError(`The text is longer than ${maxChars} characters`, {
          code: 'config.text-too-long',
          hint: 'Cut it, or read it with --stream --json, which keeps nothing of it.',
        });
      }
      pieces.push(piece);
    },
    join: () => pieces.join(''),
  };
}
