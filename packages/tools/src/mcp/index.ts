export type {
  McpHttpOptions,
  McpServerOptions,
  McpStdioOptions,
  McpTransport,
} from './mcp-server-options.ts';
export { type McpRuntime, type McpServer, type McpServerInfo, openMcpServer } from './open-mcp-server.ts';
