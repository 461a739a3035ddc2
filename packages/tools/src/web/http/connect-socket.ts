import { isIP, type LookupFunction, type Socket, connect as tcpConnect } from 'node:net';
import { connect as tlsConnect } from 'node:tls';
import type { ResolvedAddress } from '../url-policy/index.ts';

/** Where to connect to. */
export interface SocketTarget {
  /** Without brackets. */
  readonly hostname: string;
  readonly port: number;
  readonly isSecure: boolean;
  /** The only addresses that are tried, in this order as far as the system's families allow. */
  readonly addresses: readonly ResolvedAddress[];
  /** Certificates that are trusted instead of the system's, as PEM. */
  readonly certificateAuthorities: string | undefined;
}

/**
 * Opens a connection to addresses that were checked, never asking the system for others. Gives the socket at once, so that
 * it can be destroyed while it connects; `settle` hears the outcome once.
 */
export function connectSocket(target: SocketTarget, settle: (error: Error | null, socket: Socket) => void): Socket {
  const { hostname: host, port, isSecure, certificateAuthorities: ca } = target;
  const lookup = lookupIn(target.addresses);
  const socket = isSecure
    ? tlsConnect({
        host,
        port,
        lookup,
        ALPNProtocols: ['http/1.1'],
        ...(isIP(host) === 0 ? { servername: host.replace(/\.+$/, '') } : {}),
        ...(ca === undefined ? {} : { ca }),
      })
    : tcpConnect({ host, port, lookup });
  let isSettled = false;
  function finish(error: Error | null): void {
    if (isSettled) return;
    isSettled = true;
    settle(error, socket);
  }
  socket.setNoDelay(true);
  socket.once(isSecure ? 'secureConnect' : 'connect', () => finish(null));
  socket.on('error', (error) => finish(error));
  socket.on('close', () => finish(new Error('The connection was closed before it was open')));
  return socket;
}

function lookupIn(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_hostname, options, callback) => {
    const wanted = addresses.filter(({ family }) => !isOtherFamily(options.family, family));
    const [first] = wanted;
    if (first === undefined) callback(new Error('No address of the wanted family'), '', 4);
    else if (options.all === true) callback(null, [...wanted]);
    else callback(null, first.address, first.family);
  };
}

function isOtherFamily(wanted: number | string | undefined, family: 4 | 6): boolean {
  return wanted === 4 || wanted === 'IPv4' ? family !== 4 : (wanted === 6 || wanted === 'IPv6') && family !== 6;
}
