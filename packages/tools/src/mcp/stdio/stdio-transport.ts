import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { type Clock, errorMessage, isJsonObject, type Logger, parseJson, truncateText } from '@talaria/core';
import type { McpClientPackage } from '../load-mcp-client.ts';
import { closedReason, type McpLink } from '../mcp-link.ts';
import { type ParsedMcpStdio, revealText } from '../mcp-server-options.ts';
import { createLineReader } from './line-reader.ts';
import { createProcessTree } from './process-tree.ts';
import { createStderrLog } from './stderr-log.ts';

/** What {@link createStdioTransport} needs. */
export interface StdioTransportOptions {
  readonly server: string;
  readonly program: ParsedMcpStdio;
  /** Variables of the host, of which the program gets those that it may inherit. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly maxMessageBytes: number;
  readonly sdk: McpClientPackage;
  readonly clock: Clock;
  readonly logger: Logger;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** How long a program may take to end by itself once its input is closed, as the protocol wants it to. */
const ownEndMs = 500;
const killGraceMs = 2_000;
/** What it wrote before it ended may still be in its pipe, which a child of it may hold open for ever. */
const drainMs = 500;

/**
 * Creates a connection to a program in a session of its own, with exactly the variables that it is given. Unlike the
 * official transport it ends whatever the program has started, and takes messages of a set size only.
 */
export function createStdioTransport(options: StdioTransportOptions): McpLink {
  const { server, program, maxMessageBytes, sdk, clock, logger } = options;
  const stderr = createStderrLog(server, logger);
  let child: Child | undefined;
  let endReason: string | null = null;
  let exited: Promise<void> = Promise.resolve();
  let ending: Promise<void> | undefined;

  const transport: Transport = {
    start: () =>
      new Promise((resolve, reject) => {
        const started = startProgram(program, options.variables);
        child = started;
        exited = new Promise((settle) => started.once('exit', () => settle()));
        started.once('spawn', resolve);
        started.once('error', (error) => {
          endReason ??= errorMessage(error);
          reject(error);
        });
        started.once('exit', (code, signal) => {
          endReason ??= code === null ? `it was ended by ${signal}` : `it ended with exit code ${code}`;
          void afterOutput(started, clock).then(close);
        });
        started.stdin.on('error', (error) => transport.onerror?.(error));
        started.stderr.on('data', stderr.take);
        const takeChunk = createLineReader(maxMessageBytes, takeLine);
        started.stdout.on('data', (chunk: Buffer) => {
          if (takeChunk(chunk)) return;
          endReason ??= `it sent a message of more than ${maxMessageBytes} bytes`;
          started.stdout.destroy();
          void close();
        });
      }),
    send: (message) =>
      new Promise((resolve, reject) => {
        if (child === undefined || endReason !== null) {
          reject(new Error(`The program does not run: ${endReason ?? 'it was not started'}`));
          return;
        }
        child.stdin.write(sdk.serializeMessage(message), (error) => {
          if (error) reject(error);
          else resolve();
        });
      }),
    close,
  };

  function takeLine(line: string): void {
    if (line.trim() === '') return;
    let message: ReturnType<typeof sdk.deserializeMessage>;
    try {
      message = sdk.deserializeMessage(line);
    } catch {
      const id = answeredId(line);
      // Many programs print more than their messages.
      logger.debug('mcp.stdout-ignored', { server, line: truncateText(line, 200) });
      // Whoever waits for this answer would wait in vain.
      if (id !== undefined) transport.onmessage?.(wrongAnswer(id));
      return;
    }
    transport.onmessage?.(message);
  }

  function close(): Promise<void> {
    ending ??= end();
    return ending;
  }

  async function end(): Promise<void> {
    try {
      if (child?.pid !== undefined) await endProgram(child, child.pid);
    } catch (error) {
      // Nobody waits for the end of a program that ended by itself.
      logger.warn('mcp.close-failed', { server, message: errorMessage(error) });
    }
    endReason ??= closedReason;
    transport.onclose?.();
  }

  async function endProgram(program: Child, leaderPid: number): Promise<void> {
    const tree = createProcessTree({ leaderPid, platform: process.platform, clock, logger });
    // Before the input is closed: what the program leaves behind is then known by number.
    await tree.note();
    program.stdin.end();
    await Promise.race([exited, pause(clock, ownEndMs)]);
    await tree.end(killGraceMs);
    await Promise.race([exited, pause(clock, ownEndMs)]);
    for (const stream of [program.stdin, program.stdout, program.stderr]) stream.destroy();
  }

  return {
    transport,
    endReason: () => endReason,
    stderrTail: stderr.tail,
    [Symbol.asyncDispose]: close,
  };
}

function startProgram(program: ParsedMcpStdio, variables: StdioTransportOptions['variables']): Child {
  const inherited = program.inherit.flatMap((name) => {
    const value = variables[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const own = Object.entries(program.env).map(([name, value]) => [name, revealText(value)] as const);
  return spawn(program.command, program.args, {
    env: Object.fromEntries([...inherited, ...own]),
    cwd: program.cwd,
    detached: true,
    windowsHide: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

/** The number of the request that a line answers, though it is no answer as the protocol wants it. */
function answeredId(line: string): number | undefined {
  const parsed = parseJson(line);
  if (!parsed.ok || !isJsonObject(parsed.value) || 'method' in parsed.value) return undefined;
  const { id } = parsed.value;
  return typeof id === 'number' ? id : undefined;
}

function wrongAnswer(id: number): JSONRPCMessage {
  return { jsonrpc: '2.0', id, error: { code: -32_603, message: 'The server answered what is no message of MCP' } };
}

async function afterOutput({ stdout }: Child, clock: Clock): Promise<void> {
  if (stdout.closed) return;
  await Promise.race([new Promise<void>((resolve) => stdout.once('close', () => resolve())), pause(clock, drainMs)]);
}

/** A pause that keeps no process alive by itself. */
function pause(clock: Clock, durationMs: number): Promise<void> {
  return clock.sleep(durationMs, { isBackground: true });
}
