/** How a program ends: its exit code says the same in a number. */
export type ExitReason = 'done' | 'failed' | 'usage' | 'partial' | 'interrupted';

/** Exit code of each reason. */
export const exitCodes: Readonly<Record<ExitReason, number>> = {
  done: 0,
  failed: 1,
  usage: 2,
  partial: 3,
  interrupted: 130,
};
