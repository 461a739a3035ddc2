/** Facts that belong to a log event. Never secrets. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Where a library tells what it does. `event` is a constant such as `sandbox.opened`; facts go into `fields`. */
export interface Logger {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

function ignore(): void {}

/** The default: says nothing. */
export const silentLogger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };
