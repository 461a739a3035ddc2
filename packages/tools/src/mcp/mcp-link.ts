import type { Transport } from '@modelcontextprotocol/client';

/** Why a link has ended that was closed from this side. */
export const closedReason = 'it was closed';

/** A way to a server, and what became of it. Disposing closes it and everything that belongs to it. */
export interface McpLink extends AsyncDisposable {
  readonly transport: Transport;
  /** Why nothing more comes over it, as the end of a sentence about the server; `null` while it may. */
  readonly endReason: () => string | null;
  /** The last that the server wrote to its standard error; `''` where nothing is known. */
  readonly stderrTail: () => string;
  /** Whether an error says that the server has forgotten this connection, so that nothing happened. */
  readonly isForgotten?: ((error: unknown) => boolean) | undefined;
}
