import { isTalariaError } from '@talaria/core';

/** Codes that say something about a file or a request, not about the sandbox. */
const faultCodes: ReadonlySet<string> = new Set([
  'sandbox.not-found',
  'sandbox.is-directory',
  'sandbox.not-directory',
  'sandbox.permission',
  'sandbox.no-space',
  'sandbox.too-large',
  'sandbox.exists',
  'sandbox.integrity',
  'sandbox.unsafe-path',
  'task.invalid-search',
]);

/** The result of an action; where a file was at fault, what `describe` makes of the message. Other errors pass. */
export async function catchFileFault<Value, Fault>(
  action: () => Promise<Value>,
  describe: (message: string) => Fault,
): Promise<Value | Fault> {
  try {
    return await action();
  } catch (error) {
    if (isTalariaError(error) && faultCodes.has(error.code)) return describe(error.message);
    throw error;
  }
}
