import { inspect } from 'node:util';
import { type LogFields, type Logger, redactSecrets, type Secret } from '@talaria/core';

/** How much a logger tells: errors, warnings too, or everything. */
export type LogLevel = 'silent' | 'quiet' | 'verbose';

/** Options of {@link createConsoleLogger}. */
export interface ConsoleLoggerOptions {
  readonly level: LogLevel;
  /** Takes a finished line. */
  readonly tell: (line: string) => void;
  /** Values that must not be seen. */
  readonly secrets: readonly Secret[];
}

/** A logger that counts what it does not repeat. */
export interface ConsoleLogger extends Logger {
  /** Tells how often warnings came that were not repeated. To be called at the end. */
  tellCounts(): void;
}

/** So often a warning is told that says the same. */
const maxRepeats = 3;

/**
 * A logger that tells events to people, one line each. Warnings that say the same of different things are told three
 * times, then counted; `verbose` tells all, and once for each message where an environment's code threw.
 */
export function createConsoleLogger({ level, tell, secrets }: ConsoleLoggerOptions): ConsoleLogger {
  const isVerbose = level === 'verbose';
  const counts = new Map<string, number>();
  const toldStacks = new Set<string>();
  const ignore = (): void => undefined;

  function at(name: string): Logger['info'] {
    return (event, fields = {}) => {
      const { stack, ...facts } = fields;
      const shown = Object.entries(facts).flatMap(([key, value]) =>
        value === undefined ? [] : [` ${key}=${formatFact(value)}`],
      );
      tell(redactSecrets(`${name}: ${event}${shown.join('')}`, secrets));
      // Stacks of one fault differ in what called it; its message does not.
      const kind = kindOf(event, fields);
      if (isVerbose && typeof stack === 'string' && !toldStacks.has(kind)) {
        toldStacks.add(kind);
        tell(redactSecrets(stack, secrets));
      }
    };
  }

  function warnSometimes(event: string, fields: LogFields = {}): void {
    const kind = kindOf(event, fields);
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    if (count <= maxRepeats) at('warning')(event, fields);
  }

  return {
    debug: isVerbose ? at('debug') : ignore,
    info: isVerbose ? at('info') : ignore,
    warn: isVerbose ? at('warning') : level === 'silent' ? ignore : warnSometimes,
    error: at('error'),
    tellCounts() {
      for (const [kind, count] of counts) {
        if (count > maxRepeats) tell(redactSecrets(`warning: ${kind}: … and ${count - maxRepeats} more`, secrets));
      }
      counts.clear();
    },
  };
}

/** Fields that tell what happened; the others tell to what, and differ each time. */
const tellingFields = ['code', 'message', 'reason', 'warning', 'tool', 'toolName', 'model'];

function kindOf(event: string, fields: LogFields): string {
  const facts = tellingFields.flatMap((key) =>
    fields[key] === undefined ? [] : [` ${key}=${formatFact(fields[key])}`],
  );
  return `${event}${facts.join('')}`;
}

function formatFact(value: unknown): string {
  if (typeof value === 'number') return String(Math.round(value * 1_000) / 1_000);
  return typeof value === 'string' && /^[\w./:-]+$/.test(value)
    ? value
    : inspect(value, { depth: 2, breakLength: Number.POSITIVE_INFINITY });
}
