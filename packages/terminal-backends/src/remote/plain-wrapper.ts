import { quoteShell } from '@talaria/core';

/** One command for a plain POSIX shell: nothing survives it. */
export interface PlainCall {
  readonly command: { readonly text: string } | { readonly file: string };
  /** Folder to start in, absolute. */
  readonly cwd: string;
}

/** Builds the text around a command for `sh -c`, where a sandbox has no bash. */
export function wrapPlainCommand({ command, cwd }: PlainCall): string {
  const folder = quoteShell([cwd]);
  const enter = `cd -- ${folder} 2>/dev/null || { printf 'talaria: cannot enter the folder %s: it does not exist or may not be entered\\n' ${folder}; exit 126; }`;
  const source = 'text' in command ? quoteShell([command.text]) : `"$(cat ${quoteShell([command.file])})"`;
  // What dash has no option end for: a text that starts with a dash stands behind a space.
  return `${enter}; eval " "${source}`;
}
