import type { LineWriter } from '@talaria/run-store';

/** That a file could not be opened was told by the line for which it was to be; there is nothing to close. */
export async function closeWriter(opening: Promise<LineWriter> | undefined): Promise<void> {
  const writer = await opening?.catch(() => undefined);
  await writer?.[Symbol.asyncDispose]();
}
