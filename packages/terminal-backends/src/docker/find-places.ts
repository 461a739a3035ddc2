import { raceAbort } from '@talaria/core';
import { type AnswerWait, answerInTime } from '../remote/answer-in-time.ts';
import { startOrClose } from '../remote/start-or-close.ts';
import type { SandboxTransport } from '../remote/transport.ts';

/** Folders of a sandbox. */
export interface Places {
  readonly home: string;
  readonly temporaryFolder: string;
}

const temporaryFolder = '/tmp';
/** For users without a home of their own, such as `nobody`, and numbers that no account has. */
const homeless: Places = { home: `${temporaryFolder}/home`, temporaryFolder };
const rootUser = /^(?:root|0)?(?::.*)?$/;

/** Whether a user of a container, as image and options name it, is root; without a name it is. */
export function isRootUser(user: string): boolean {
  return rootUser.test(user);
}

/** Finds out whether the user of a container has a home to write to; `undefined` where it is as usual. */
export async function findPlaces(
  transport: SandboxTransport,
  user: string,
  wait: Pick<AnswerWait, 'clock' | 'signal'>,
): Promise<Places | undefined> {
  if (isRootUser(user)) return undefined;
  const script = 'mkdir -p -- "$HOME" 2>/dev/null; [ "$HOME" != / ] && [ -d "$HOME" ] && [ -w "$HOME" ]';
  return await answerInTime(transport, wait, async (signal) => {
    const probe = await startOrClose(transport, { words: ['sh', '-c', script], signal });
    try {
      probe.stdout.resume();
      probe.stderr?.resume();
      return (await raceAbort(probe.exited, signal)) === 0 ? undefined : homeless;
    } finally {
      probe.close();
    }
  });
}
