/**
 * Where an error was thrown, for the log: the stack of what a function of the environment threw, not of what was made of
 * it. `undefined` where there is none.
 */
export function errorStack(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const cause = 'cause' in error ? errorStack(error.cause) : undefined;
  if (cause !== undefined) return cause;
  return 'stack' in error && typeof error.stack === 'string' ? error.stack : undefined;
}
