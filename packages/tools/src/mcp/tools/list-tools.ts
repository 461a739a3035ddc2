import { isJsonObject, type JsonObject, type Logger, truncateText } from '@talaria/core';
import { z } from 'zod';
import type { McpConnection } from '../mcp-connection.ts';

/** A tool as its server describes it. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** The server says that it changes nothing. */
  readonly isReadOnly: boolean;
}

/** What {@link listMcpTools} needs. */
export interface ListToolsOptions {
  readonly server: string;
  readonly logger: Logger;
  /** Gives a signal for one page, aborted after the server's time limit. */
  readonly withinLimit: <Value>(action: (signal: AbortSignal) => Promise<Value>) => Promise<Value>;
}

const maxPages = 100;
const maxTools = 1_000;
const maxDescriptionChars = 8_000;

const page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().nullish() });

const tool = z.looseObject({
  name: z.string().min(1).max(500),
  title: z.string().nullish().catch(null),
  description: z.string().nullish().catch(null),
  annotations: z.looseObject({ readOnlyHint: z.boolean().nullish() }).nullish().catch(null),
});

/**
 * Reads the whole list, page by page: at most 1,000 tools of 100 pages. A tool that is not described as the protocol says is
 * left out with a warning, as are those beyond the limits.
 */
export async function listMcpTools(
  connection: McpConnection,
  options: ListToolsOptions,
): Promise<readonly ListedTool[]> {
  const { server, logger, withinLimit } = options;
  const tools: ListedTool[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let pageCount = 0; pageCount < maxPages; pageCount += 1) {
    const params: JsonObject = cursor === undefined ? {} : { cursor };
    const answer = await withinLimit((signal) =>
      connection.request({ method: 'tools/list', params, answer: page, signal }),
    );
    for (const entry of answer.tools) {
      const read = readTool(entry);
      if (typeof read === 'string') logger.warn('mcp.tool-left-out', { server, tool: nameOf(entry), reason: read });
      else tools.push(read);
    }
    if (tools.length > maxTools) break;
    cursor = answer.nextCursor ?? undefined;
    if (cursor === undefined || cursor === '') return tools;
    // A list that leads back to itself would never end.
    if (cursors.has(cursor)) break;
    cursors.add(cursor);
  }
  logger.warn('mcp.list-cut', { server, tools: Math.min(tools.length, maxTools), maxTools, maxPages });
  return tools.slice(0, maxTools);
}

function readTool(entry: unknown): ListedTool | string {
  const parsed = tool.safeParse(entry);
  if (!parsed.success)
    return parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  const { name, title, description, annotations, inputSchema } = parsed.data;
  if (!isJsonObject(inputSchema)) return 'inputSchema is no object';
  return {
    name,
    description: truncateText(description ?? title ?? name, maxDescriptionChars),
    inputSchema,
    isReadOnly: annotations?.readOnlyHint === true,
  };
}

function nameOf(entry: unknown): string {
  return isJsonObject(entry) && typeof entry['name'] === 'string' ? truncateText(entry['name'], 100) : '(no name)';
}
