import { StringDecoder } from 'node:string_decoder';
import { type Logger, truncateText } from '@talaria/core';

/** Most lines of one program that are logged. */
const maxLines = 1_000;
const maxLineChars = 1_000;
const maxTailChars = 1_000;

/** What a program wrote to its standard error. */
export interface StderrLog {
  readonly take: (chunk: Buffer) => void;
  /** How it ended, at most 1,000 characters; `''` where there was nothing. */
  readonly tail: () => string;
}

/** Creates a log: lines go to the logger, shortened, and no more than 1,000 of them. */
export function createStderrLog(server: string, logger: Logger): StderrLog {
  const decoder = new StringDecoder('utf8');
  let tail = '';
  let open = '';
  let lineCount = 0;

  function tell(line: string): void {
    if (line.trim() === '') return;
    lineCount += 1;
    if (lineCount <= maxLines) logger.debug('mcp.stderr', { server, line: truncateText(line, maxLineChars) });
    else if (lineCount === maxLines + 1) logger.warn('mcp.stderr-suppressed', { server, maxLines });
  }

  return {
    take(chunk) {
      const text = decoder.write(chunk);
      tail = (tail + text).slice(-maxTailChars);
      const lines = (open + text).split('\n');
      // A line without an end is kept only as far as it would be shown.
      open = (lines.pop() ?? '').slice(0, maxLineChars + 1);
      for (const line of lines) tell(line);
    },
    tail: () => tail.trim(),
  };
}
