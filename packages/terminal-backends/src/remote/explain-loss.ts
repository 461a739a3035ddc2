import { remoteError } from './remote-error.ts';
import type { RemotePlace } from './remote-place.ts';

/**
 * Gives the exit code of a command whose launcher went away although nobody ended the command: with the sandbox, or alone
 * (a command can kill it). Then the command may still run, without anybody who hears of its end: it is ended, and never run
 * again. Where the connection was cut, nobody knows how far the command came.
 * @throws SandboxError `sandbox.lost`, `sandbox.connection-lost`
 */
export async function explainLoss(
  { transport, killer, tools }: Pick<RemotePlace, 'transport' | 'killer' | 'tools'>,
  execId: string,
  isCutOff: boolean,
): Promise<number> {
  let isAlive = await transport.isAlive();
  const survivors = isAlive ? await killer.end({ mode: 'exec', execId }, tools.killGraceMs) : null;
  // Whoever runs the sandbox may learn of its end a moment later.
  if (isAlive && survivors === null) isAlive = await transport.isAlive();
  if (!isAlive) {
    throw remoteError(transport.kind, 'The sandbox is gone', {
      code: 'sandbox.lost',
      phase: 'exec',
      started: true,
      hint: 'Find out what ended it, and start again with a new sandbox.',
    });
  }
  if (!isCutOff) return 137;
  throw remoteError(transport.kind, 'The connection to the sandbox was lost while the command ran', {
    code: 'sandbox.connection-lost',
    phase: 'exec',
    started: true,
    hint:
      survivors?.length === 0
        ? 'What was left of the command has been ended. Look how far it came before you run it again.'
        : 'The command may still run. Look how far it came before you run it again.',
  });
}
