/**
 * Whether tests are asked for in full, with `TALARIA_THOROUGH=1`, as CI and `npm run test:thorough` do. Without it, what
 * takes long and needs nothing but time does less of the same, or is left to them.
 */
// biome-ignore lint/style/noProcessEnv: for tests only, each of which would have to hand it on
export const isThorough: boolean = process.env['TALARIA_THOROUGH'] === '1';

/** How often to do something that is done `full` times in thorough tests: a fifth of it otherwise, at least once. */
export function thoroughRuns(full: number): number {
  return isThorough ? full : Math.ceil(full / 5);
}
