import type { LogFields, Logger } from '../logger.ts';

/** One call of a logger. */
export interface LogEntry {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly event: string;
  readonly fields: LogFields | undefined;
}

/** A logger that keeps what it hears. */
export interface MemoryLogger extends Logger {
  readonly entries: readonly LogEntry[];
}

/** Creates an empty one. */
export function createMemoryLogger(): MemoryLogger {
  const entries: LogEntry[] = [];
  const at = (level: LogEntry['level']) => (event: string, fields?: LogFields) => {
    entries.push({ level, event, fields });
  };
  return { entries, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
