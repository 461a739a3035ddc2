import { inspect } from 'node:util';
import { type LogFields, type Logger, redactSecrets, type Secret } from '@talaria/core';

/** How much a logger tells: warnings and errors, or everything. */
export type LogLevel = 'quiet' | 'verbose';

/** Options of {@link createConsoleLogger}. */
export interface ConsoleLoggerOptions {
  readonly level: LogLevel;
  /** Takes a finished line. */
  readonly tell: (line: string) => void;
  /** Values that must not be seen. */
  readonly secrets: readonly Secret[];
}

/** A logger that tells events to people, one line each. */
export function createConsoleLogger({ level, tell, secrets }: ConsoleLoggerOptions): Logger {
  const at =
    (name: string) =>
    (event: string, fields: LogFields = {}) => {
      const facts = Object.entries(fields).flatMap(([key, value]) =>
        value === undefined ? [] : [` ${key}=${formatFact(value)}`],
      );
      tell(redactSecrets(`${name}: ${event}${facts.join('')}`, secrets));
    };
  const ignore = (): void => undefined;
  const isVerbose = level === 'verbose';
  return {
    debug: isVerbose ? at('debug') : ignore,
    info: isVerbose ? at('info') : ignore,
    warn: at('warning'),
    error: at('error'),
  };
}

function formatFact(value: unknown): string {
  if (typeof value === 'number') return String(Math.round(value * 1_000) / 1_000);
  return typeof value === 'string' && /^[\w./:-]+$/.test(value)
    ? value
    : inspect(value, { depth: 2, breakLength: Number.POSITIVE_INFINITY });
}
