import type { Socket } from 'node:net';
import { connectSocket } from '../../web/http/connect-socket.ts';
import type { UrlPolicy } from '../../web/url-policy/index.ts';
import type { ProxyClientState } from './proxy-client.ts';

/** Where to connect to. */
export interface CheckedTarget {
  readonly hostname: string;
  readonly port: number;
  readonly policy: UrlPolicy;
  readonly client: ProxyClientState;
}

/** Resolves, checks and connects; the client holds the connection. @throws UrlRefusedError; rejects as the connection does */
export async function connectChecked({ hostname, port, policy, client }: CheckedTarget): Promise<Socket> {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  const addresses = await policy.resolve(bare, port, client.signal);
  client.signal.throwIfAborted();
  return await new Promise((resolve, reject) => {
    const socket = connectSocket(
      { hostname: bare, port, isSecure: false, addresses, certificateAuthorities: undefined },
      (error, connected) => {
        if (error === null) resolve(connected);
        else reject(error);
      },
    );
    const held = client.hold(socket);
    socket.on('close', () => held[Symbol.dispose]());
  });
}
