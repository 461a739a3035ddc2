import { WebSocket } from 'ws';

/** The side of a WebSocket that the double writes to. */
export interface DoubleSocket {
  /** The protocol that was chosen from those the client offered; `''` for none. */
  readonly protocol: string;
  /** Bytes that the client has not taken yet. */
  readonly waitingBytes: number;
  /** Sends bytes as a binary message, text as a text message; does nothing to a socket that is closed. */
  send(message: Buffer | string): void;
  close(code: number, reason?: string): void;
  onMessage(listener: (bytes: Buffer) => void): void;
  onClose(listener: () => void): void;
}

/** Wraps an open WebSocket. It breaks before the message with which more than `cutBytes` would have been sent. */
export function wrapSocket(socket: WebSocket, cutBytes: number): DoubleSocket {
  let sentBytes = 0;
  return {
    get protocol() {
      return socket.protocol;
    },
    get waitingBytes() {
      return socket.bufferedAmount;
    },
    send(message) {
      if (socket.readyState !== WebSocket.OPEN) return;
      sentBytes += Buffer.byteLength(message);
      if (sentBytes > cutBytes) socket.terminate();
      else socket.send(message, { binary: Buffer.isBuffer(message) });
    },
    close: (code, reason) => socket.close(code, reason),
    onMessage(listener) {
      // `nodebuffer` is what the server side always gets.
      socket.on('message', (bytes: Buffer) => listener(bytes));
    },
    onClose(listener) {
      socket.once('close', listener);
    },
  };
}
