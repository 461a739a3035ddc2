import type { Socket } from 'node:net';
import { type UrlPolicy, UrlRefusedError } from '../../web/url-policy/index.ts';
import { connectChecked } from './connect-checked.ts';
import type { ProxyClientState } from './proxy-client.ts';

/** A tunnel that a client asked for by CONNECT. */
export interface TunnelRequest {
  /** `host:port`. */
  readonly target: string;
  readonly socket: Socket;
  /** What the client sent already. */
  readonly head: Buffer;
  readonly client: ProxyClientState;
  readonly policy: UrlPolicy;
}

/** Connects and passes bytes on in both directions. Never rejects: what is refused is noted and answered. */
export async function openTunnel({ target, socket, head, client, policy }: TunnelRequest): Promise<void> {
  const held = client.hold(socket);
  socket.on('close', () => held[Symbol.dispose]());
  try {
    const { hostname, port } = parseTarget(target);
    // Of what is inside the proxy sees nothing; the name itself may hold a secret.
    policy.checkUrl(`https://${target}`);
    const remote = await connectChecked({ hostname, port, policy, client });
    if (socket.destroyed) {
      remote.destroy();
      return;
    }
    socket.on('close', () => remote.destroy());
    remote.on('close', () => {
      // What came whole is passed on to its end, which the pipe tells the browser. It closes its own side then.
      if (remote.readableEnded) socket.unpipe(remote).resume();
      else socket.destroy();
    });
    remote.on('data', (chunk: Buffer) => {
      if (!client.receive(chunk.length, target)) remote.destroy();
    });
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    if (head.length > 0) remote.write(head);
    socket.pipe(remote);
    remote.pipe(socket);
  } catch (error) {
    if (client.signal.aborted) {
      socket.destroy();
      return;
    }
    const { kind } = client.refuse(target, error);
    socket.end(`HTTP/1.1 ${kind === 'blocked' ? '403 Forbidden' : '502 Bad Gateway'}\r\nContent-Length: 0\r\n\r\n`);
  }
}

function parseTarget(target: string): { readonly hostname: string; readonly port: number } {
  const [, hostname = '', port = ''] = /^(\[[0-9a-f:.]+\]|[^:/?#@\s]+):(\d{1,5})$/i.exec(target) ?? [];
  if (hostname !== '' && Number(port) > 0 && Number(port) < 65_536) return { hostname, port: Number(port) };
  throw new UrlRefusedError('blocked', 'The proxy was asked for something that is no host and port.');
}
