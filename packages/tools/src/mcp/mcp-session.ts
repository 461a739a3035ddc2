import { type JsonObject, raceAbort } from '@talaria/core';
import {
  type McpConnection,
  type McpConnectionOptions,
  McpHandshakeError,
  openMcpConnection,
} from './mcp-connection.ts';
import { closedReason } from './mcp-link.ts';
import { type CallAnswer, callAnswer } from './tools/call-result.ts';

/** What a call may come with. */
export interface McpCallOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: { readonly progress: number; readonly message?: string | undefined }) => void;
}

/** A server that cannot be asked any more, in words. */
export class McpServerGone extends Error {}

/** A connection that is opened again where it ended. */
export interface McpSession extends AsyncDisposable {
  readonly connection: McpConnection;
  /**
   * Calls a tool by the server's own name.
   *
   * @throws McpServerGone where the server has ended and is not opened again; rejects with the signal's reason, or with an
   * error of the client
   */
  call(toolName: string, args: JsonObject, options: McpCallOptions): Promise<CallAnswer>;
}

/** Opens a session. @throws what {@link openMcpConnection} throws */
export async function openMcpSession(options: McpConnectionOptions): Promise<McpSession> {
  const { server, logger } = options;
  const stop = new AbortController();
  const first = await openMcpConnection(options);
  let current = first;
  let opening: Promise<McpConnection> | undefined;
  // One that ends before it has answered anything would end the same way the next time.
  let mayReopen = server.mayReopen;

  async function usable(signal: AbortSignal): Promise<McpConnection> {
    if (stop.signal.aborted) throw new McpServerGone(closedReason);
    const reason = current.endReason();
    if (reason === null) return current;
    if (opening === undefined && !mayReopen) throw new McpServerGone(reason);
    opening ??= reopen(reason).finally(() => {
      opening = undefined;
    });
    return await raceAbort(opening, signal);
  }

  async function reopen(reason: string): Promise<McpConnection> {
    mayReopen = false;
    logger.warn('mcp.reopening', { server: server.name, reason });
    await current[Symbol.asyncDispose]();
    try {
      current = await openMcpConnection({ ...options, signal: stop.signal });
      return current;
    } catch (cause) {
      if (stop.signal.aborted) throw new McpServerGone(closedReason, { cause });
      if (!(cause instanceof McpHandshakeError)) throw cause;
      throw new McpServerGone(`${reason}, and could not be opened again: ${cause.message}`, { cause });
    }
  }

  async function callOnce(toolName: string, args: JsonObject, call: McpCallOptions): Promise<CallAnswer> {
    const connection = await usable(call.signal);
    try {
      const answer = await connection.request({
        method: 'tools/call',
        params: { name: toolName, arguments: args },
        answer: callAnswer,
        signal: call.signal,
        onProgress: call.onProgress,
      });
      mayReopen = server.mayReopen;
      return answer;
    } catch (error) {
      if (connection.endReason() === null) mayReopen = server.mayReopen;
      throw connection.isForgotten(error) ? new ForgottenSession('', { cause: error }) : error;
    }
  }

  return {
    connection: first,
    async call(toolName, args, call) {
      try {
        return await callOnce(toolName, args, call);
      } catch (error) {
        // A server that knows no such session has not looked at the call, so it may be sent again.
        if (!(error instanceof ForgottenSession)) throw error;
        return await callOnce(toolName, args, call);
      }
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await opening?.catch(() => undefined);
      await current[Symbol.asyncDispose]();
    },
  };
}

class ForgottenSession extends Error {}
