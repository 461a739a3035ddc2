// biome-ignore lint/style/noProcessEnv: for tests only, each of which would have to hand it on
const isThorough: boolean = process.env['TALARIA_THOROUGH'] === '1';

/**
 * How often to do something that is done `full` times in thorough tests, with `TALARIA_THOROUGH=1`, as CI and
 * `npm run test:thorough` do: a fifth of it otherwise, at least once.
 */
export function thoroughRuns(full: number): number {
  return isThorough ? full : Math.ceil(full / 5);
}
