import { ConfigError } from '@talaria/core';
import type { Host } from '../host.ts';

/** Longest answer that is read. */
const maxAnswerBytes = 1_024;

/**
 * Asks the person at the terminal; only `y` and `yes` mean yes.
 * @throws ConfigError `config.needs-confirmation` where nobody can be asked
 */
export async function confirm(host: Host, question: string): Promise<boolean> {
  if (!host.stdin.isTerminal) {
    throw new ConfigError(`${question} Nobody can be asked: standard input is no terminal`, {
      code: 'config.needs-confirmation',
      hint: 'If that is meant, add --yes.',
    });
  }
  host.stderr.write(`${question} [y/N] `);
  let answer = '';
  const decoder = new TextDecoder();
  for await (const piece of host.stdin.read()) {
    answer += decoder.decode(piece, { stream: true });
    if (answer.includes('\n') || answer.length > maxAnswerBytes) break;
  }
  return /^\s*y(?:es)?\s*$/iu.test(answer.split('\n', 1)[0] ?? '');
}
