import { ConfigError, errorMessage, systemErrorCode } from '@talaria/core';

/** The official client package. */
export type McpClientPackage = typeof import('@modelcontextprotocol/client');

/** Imports the client, an optional peer. @throws ConfigError `config.missing-package` where it is not installed */
export async function loadMcpClient(
  load: () => Promise<McpClientPackage> = () => import('@modelcontextprotocol/client'),
): Promise<McpClientPackage> {
  try {
    return await load();
  } catch (cause) {
    const code = systemErrorCode(cause);
    const isNotFound = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
    // Only this very package: a fault inside it is told as it is.
    if (!isNotFound || !/['"]@modelcontextprotocol\/client['"]/.test(errorMessage(cause))) throw cause;
    throw new ConfigError('MCP servers need the package @modelcontextprotocol/client, which is not installed', {
      code: 'config.missing-package',
      hint: 'Run: npm install @modelcontextprotocol/client@^2.4.0',
      cause,
    });
  }
}
