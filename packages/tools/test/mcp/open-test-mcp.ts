import { spawnSync } from 'node:child_process';
import type { LogFields } from '@talaria/core';
import { createMemoryLogger, type MemoryLogger } from '@talaria/core/testing';
import { createBuiltinRegistry } from '@talaria/tools';
import {
  type McpRuntime,
  type McpServer,
  type McpServerOptions,
  type McpStdioOptions,
  openMcpServer,
} from '@talaria/tools/mcp';
import { createTestDispatcher, type TestDispatcher } from '@talaria/tools/testing';

/** A logger that can be waited for. */
export interface EventLogger extends MemoryLogger {
  /** Resolves when such an event was or is logged. */
  heard(event: string, fits?: (fields: LogFields) => boolean): Promise<LogFields>;
  /** What was logged of one kind so far. */
  of(event: string): readonly LogFields[];
}

export function createEventLogger(): EventLogger {
  const memory = createMemoryLogger();
  const waiting = new Set<() => void>();
  const at = (level: 'debug' | 'info' | 'warn' | 'error') => (event: string, fields?: LogFields) => {
    memory[level](event, fields);
    for (const check of [...waiting]) check();
  };
  const of = (event: string): readonly LogFields[] =>
    memory.entries.flatMap((entry) => (entry.event === event ? [entry.fields ?? {}] : []));
  return {
    entries: memory.entries,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    of,
    heard: (event, fits = () => true) =>
      new Promise((resolve) => {
        const check = (): void => {
          const found = of(event).find(fits);
          if (found === undefined) return;
          waiting.delete(check);
          resolve(found);
        };
        waiting.add(check);
        check();
      }),
  };
}

/** How to start one of the servers beside this file. */
export function program(file: string, ...args: readonly string[]): McpStdioOptions {
  return { kind: 'stdio', command: process.execPath, args: [`${import.meta.dirname}/servers/${file}.ts`, ...args] };
}

/** An open server and a dispatcher that offers its tools. */
export interface TestMcp extends AsyncDisposable {
  readonly server: McpServer;
  readonly tools: TestDispatcher;
  readonly logger: EventLogger;
}

export async function openTestMcp(options: McpServerOptions, runtime: McpRuntime = {}): Promise<TestMcp> {
  const logger = createEventLogger();
  const server = await openMcpServer(options, { logger, ...runtime });
  const view = createBuiltinRegistry([...server.tools]).view({ enabled: [server.toolset] });
  const tools = createTestDispatcher({ view, logger, clock: runtime.clock });
  return {
    server,
    tools,
    logger,
    async [Symbol.asyncDispose]() {
      await tools[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Whether a process runs; one that has ended and was not waited for does not. */
export function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return /^[^Z\s]/.test(stdout.trim());
}
