import { createManualClock, type ManualClock } from '@talaria/core/testing';
import type { Host, OutputStream, StopSignal } from '../src/host.ts';

/** A stream that keeps what is written. */
export interface MemoryStream extends OutputStream {
  readonly text: string;
}

/** A host inside a test. */
export interface FakeHost extends Host {
  readonly stdout: MemoryStream;
  readonly stderr: MemoryStream;
  readonly clock: ManualClock;
  /** Delivers a signal as the system would. */
  send(signal: StopSignal): void;
  /** Delivers an error that nothing caught. */
  fail(error: unknown): void;
  /** Handlers that listen for signals and errors now. */
  readonly handlerCount: number;
  /** Exit codes of forced ends. */
  readonly forcedExits: readonly number[];
}

/** What a test decides about its host. */
export interface FakeHostOptions {
  /** @default talaria */
  readonly programName?: string;
  readonly argv?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly homeFolder?: string;
  readonly isTerminal?: boolean;
  readonly columns?: number;
  readonly nodeVersion?: string;
  readonly modules?: Readonly<Record<string, unknown>>;
  /** What standard input delivers, piece by piece. @default nothing */
  readonly input?: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  /** After how many flushes the reader of standard output goes away. @default never */
  readonly flushesUntilGone?: number;
}

/** Creates one. Modules that a test did not put there are not found, as Node would say it. */
export function createFakeHost(options: FakeHostOptions = {}): FakeHost {
  const handlers = new Set<(signal: StopSignal) => void>();
  const errorHandlers = new Set<(error: unknown) => void>();
  const forcedExits: number[] = [];
  const { isTerminal = false, columns = 80, modules = {}, input = [], flushesUntilGone = Infinity } = options;
  return {
    programName: options.programName ?? 'talaria',
    argv: options.argv ?? [],
    variables: options.variables ?? {},
    cwd: options.cwd ?? '/nowhere',
    homeFolder: options.homeFolder ?? '/home/nobody',
    nodeVersion: options.nodeVersion ?? '24.1.0',
    stdin: {
      isTerminal,
      async *read() {
        yield* input;
      },
    },
    stdout: createMemoryStream(isTerminal, columns, flushesUntilGone),
    stderr: createMemoryStream(isTerminal, columns),
    clock: createManualClock(),
    onStopSignal(handler) {
      handlers.add(handler);
      return () => handlers.delete(handler);
    },
    onUncaughtError(handler) {
      errorHandlers.add(handler);
      return () => errorHandlers.delete(handler);
    },
    async importModule(specifier) {
      if (Object.hasOwn(modules, specifier)) {
        const found = modules[specifier];
        if (found instanceof Error) throw found;
        return found;
      }
      throw Object.assign(new Error(`Cannot find package '${specifier}'`), { code: 'ERR_MODULE_NOT_FOUND' });
    },
    exitNow: (exitCode) => forcedExits.push(exitCode),
    send(signal) {
      for (const handler of handlers) handler(signal);
    },
    fail(error) {
      for (const handler of errorHandlers) handler(error);
    },
    get handlerCount() {
      return handlers.size + errorHandlers.size;
    },
    forcedExits,
  };
}

function createMemoryStream(isTerminal: boolean, columns: number, flushesUntilGone = Infinity): MemoryStream {
  let text = '';
  let flushCount = 0;
  return {
    write(piece) {
      text += piece;
    },
    async flush() {
      flushCount += 1;
      return flushCount < flushesUntilGone;
    },
    isTerminal,
    columns,
    get text() {
      return text;
    },
  };
}
