import type { Answer } from './answer.ts';
import type { ToolboxRequest } from './double-request.ts';
import type { DoubleSocket } from './double-socket.ts';

/** Serves one request of the toolbox plane. */
export type ToolboxHandler = (request: ToolboxRequest) => Promise<Answer>;

/** Prepares a WebSocket; what it returns gets the open one. */
export type SocketHandler = (request: ToolboxRequest) => Promise<(socket: DoubleSocket) => void>;
