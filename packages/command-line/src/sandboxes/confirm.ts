import { ConfigError, raceAbort } from '@talaria/core';
import type { Host } from '../host.ts';

/** Longest answer that is read. */
const maxAnswerBytes = 1_024;

/**
 * Asks the person at the terminal; only `y` and `yes` mean yes. Rejects with the signal's reason, and reads no more, as
 * soon as that is aborted. @throws ConfigError `config.needs-confirmation` where nobody can be asked
 */
export async function confirm(host: Host, question: string, signal: AbortSignal): Promise<boolean> {
  signal.throwIfAborted();
  if (!host.stdin.isTerminal) {
    throw new ConfigError(`${question} Nobody can be asked: standard input is no terminal`, {
      code: 'config.needs-confirmation',
      hint: 'If that is meant, add --yes.',
    });
  }
  host.stderr.write(`${question} [y/N] `);
  const answer = await raceAbort(readLine(host, signal), signal).catch((error: unknown) => {
    // What comes next has a line of its own.
    host.stderr.write('\n');
    throw error;
  });
  return /^\s*y(?:es)?\s*$/iu.test(answer);
}

async function readLine(host: Host, signal: AbortSignal): Promise<string> {
  let answer = '';
  const decoder = new TextDecoder();
  for await (const piece of host.stdin.read({ signal })) {
    answer += decoder.decode(piece, { stream: true });
    if (answer.includes('\n') || answer.length > maxAnswerBytes) break;
  }
  return answer.split('\n', 1)[0] ?? '';
}
