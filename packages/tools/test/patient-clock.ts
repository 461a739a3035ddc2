import { type Clock, systemClock } from '@talaria/core';

/** A clock whose sleeps last fifty times as long: what waits a little for an answer gets it on a busy machine, too. */
export const patientClock: Clock = {
  ...systemClock,
  sleep: (durationMs, options) => systemClock.sleep(durationMs * 50, options),
};
