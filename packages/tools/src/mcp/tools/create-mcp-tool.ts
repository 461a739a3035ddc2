import { type Clock, type JsonObject, openDeadline, truncateText } from '@talaria/core';
import { defineTool } from '../../define-tool.ts';
import type { Tool, ToolCallContext } from '../../tool.ts';
import { toolError } from '../../tool-result.ts';
import type { ParsedMcpServer } from '../mcp-server-options.ts';
import type { McpSession } from '../mcp-session.ts';
import { describeCallFailure } from './call-failure.ts';
import { toToolResult } from './call-result.ts';
import { cleanInputSchema } from './input-schema.ts';
import type { ListedTool } from './list-tools.ts';

/** What {@link createMcpTool} needs. */
export interface McpToolOptions {
  /** The name that the model sees. */
  readonly name: string;
  readonly listed: ListedTool;
  readonly server: ParsedMcpServer;
  readonly session: Pick<McpSession, 'call'>;
  readonly clock: Clock;
}

/** Most reports of progress that one call logs. */
const maxReports = 100;

/** Makes a tool of one that a server offers. @throws TypeError or TaskError for a schema that cannot be used */
export function createMcpTool({ name, listed, server, session, clock }: McpToolOptions): Tool {
  async function execute(args: JsonObject, context: ToolCallContext) {
    using deadline = openDeadline(clock, server.timeoutMs, context.signal);
    try {
      const onProgress = createProgressLog(server.name, listed.name, context);
      return toToolResult(await session.call(listed.name, args, { signal: deadline.signal, onProgress }));
    } catch (error) {
      context.signal.throwIfAborted();
      if (!deadline.isExpired()) return describeCallFailure(server.name, error);
      const seconds = server.timeoutMs / 1_000;
      return toolError(
        'timeout',
        `The MCP server ${server.name} did not answer within ${seconds} s; the call was cancelled.`,
      );
    }
  }
  return defineTool({
    name,
    description: listed.description,
    toolset: server.name,
    parameters: cleanInputSchema(listed.inputSchema),
    isParallelSafe: listed.isReadOnly,
    sideEffect: server.transport.kind === 'http' ? 'external' : 'host',
    timeoutMs: server.timeoutMs,
    execute,
  });
}

function createProgressLog(server: string, tool: string, { logger, toolCallId }: ToolCallContext) {
  let count = 0;
  return ({ progress, message = '' }: { readonly progress: number; readonly message?: string | undefined }): void => {
    count += 1;
    if (count > maxReports) return;
    logger.debug('mcp.progress', { server, tool, toolCallId, progress, message: truncateText(message, 300) });
  };
}
