import { isTalariaError } from '@talaria/core';

/** Codes that say something about a file or a request: what they are of finds the same however often it is tried. */
const fileCodes: ReadonlySet<string> = new Set([
  'sandbox.not-found',
  'sandbox.is-directory',
  'sandbox.not-directory',
  'sandbox.permission',
  'sandbox.too-large',
  'sandbox.exists',
  'sandbox.unsafe-path',
  'task.invalid-search',
]);

/** Codes of actions that did not come to an end; the sandbox is there all the same. */
const actionCodes: ReadonlySet<string> = new Set(['sandbox.no-space', 'sandbox.integrity']);

/** Whether an error is about a file or a request of a reward function, such as a missing file, and the sandbox is well. */
export function isFileFault(error: unknown): boolean {
  return isTalariaError(error) && fileCodes.has(error.code);
}

/** The result of an action; where a file was at fault, what `describe` makes of the message. Other errors pass. */
export async function catchFileFault<Value, Fault>(
  action: () => Promise<Value>,
  describe: (message: string) => Fault,
): Promise<Value | Fault> {
  try {
    return await action();
  } catch (error) {
    if (isTalariaError(error) && (isFileFault(error) || actionCodes.has(error.code))) return describe(error.message);
    throw error;
  }
}
