import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  type Clock,
  errorMessage,
  isAbortOf,
  isTalariaError,
  type Logger,
  openDeadline,
  raceAbort,
} from '@talaria/core';
import type { Client, ConnectConfig, VerifyCallback } from 'ssh2';
import { connectError, levelOf } from './connect-error.ts';
import { type HostKeyCheckOptions, openHostKeyCheck } from './host-key-check.ts';
import type { Ssh2 } from './load-ssh2.ts';
import { type CredentialPlaces, readCredentials } from './ssh-credentials.ts';
import { type SshLink, watchLink } from './ssh-link.ts';
import { defaultSshPort, knownHostsName, type SshServer } from './ssh-server.ts';

/** What every connection is made with. */
export interface ConnectOptions {
  readonly ssh2: Ssh2;
  readonly hostKeys: HostKeyCheckOptions;
  readonly credentials: CredentialPlaces;
  readonly connectTimeoutMs: number;
  readonly keepAliveIntervalMs: number;
  readonly keepAliveLimit: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Connects and logs in, through the server's jump server where it has one. Aborted or failed, it leaves no socket. */
export async function connectSsh(server: SshServer, options: ConnectOptions, signal: AbortSignal): Promise<SshLink> {
  signal.throwIfAborted();
  if (server.jump === undefined) return await logIn(server, options, { forwarded: null, signal });
  const jump = await connectSsh(server.jump, options, signal);
  try {
    const forwarded = await forward(jump, server, { options, signal });
    const link = await logIn(server, options, { forwarded, signal });
    return through(jump, link);
  } catch (error) {
    await jump.end();
    throw error;
  }
}

/** A connection that takes the one below with it. */
function through(jump: SshLink, link: SshLink): SshLink {
  link.closed.then(() => jump.end());
  return {
    client: link.client,
    closed: link.closed,
    get isOpen() {
      return link.isOpen;
    },
    async end() {
      await link.end();
      await jump.end();
    },
  };
}

async function forward(
  jump: SshLink,
  server: SshServer,
  { options, signal }: { readonly options: ConnectOptions; readonly signal: AbortSignal },
): Promise<Duplex> {
  const { host, port = defaultSshPort } = server;
  using deadline = openDeadline(options.clock, options.connectTimeoutMs, signal);
  const opening = new Promise<Duplex>((resolve, reject) => {
    // Throws where the connection is gone, which rejects.
    jump.client.forwardOut('127.0.0.1', 0, host, port, (error, channel) => (error ? reject(error) : resolve(channel)));
  });
  try {
    // A channel that comes late goes with the connection that it came by.
    return await raceAbort(opening, deadline.signal);
  } catch (error) {
    throw isAbortOf(error, signal) ? error : connectError(error, { login: server, credentials: '' });
  }
}

/** Opens the way to a server; gives what its connection runs over. */
async function dial({ host, port = defaultSshPort }: SshServer, signal: AbortSignal): Promise<Socket> {
  // A byte that waits for more of its kind would cost every command 40 ms.
  const socket = connect({ host, port, noDelay: true });
  const stop = () => socket.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve).once('error', reject);
      socket.once('close', () => reject(signal.aborted ? signal.reason : new Error('closed')));
    });
    return socket;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function logIn(
  server: SshServer,
  options: ConnectOptions,
  { forwarded, signal }: { readonly forwarded: Duplex | null; readonly signal: AbortSignal },
): Promise<SshLink> {
  const { ssh2, clock, logger, connectTimeoutMs } = options;
  const check = await openHostKeyCheck(knownHostsName(server), options.hostKeys);
  const credentials = await readCredentials(server, options.credentials, ssh2);
  using deadline = openDeadline(clock, connectTimeoutMs, signal);
  let socket = forwarded;
  let link: SshLink | null = null;
  try {
    socket ??= await dial(server, deadline.signal);
    const client = new ssh2.Client();
    link = watchLink(client, socket, logger);
    const failure = listenForFailure(client, link, logger);
    const ready = new Promise<void>((resolve) => client.once('ready', resolve));
    client.connect({
      ...configOf(server, options, check.knownTypes),
      authHandler: [...credentials.methods],
      sock: socket,
      hostVerifier(key: Buffer, verify: VerifyCallback) {
        check.check(key).then(
          () => verify(true),
          (error: unknown) => {
            failure.reject(error);
            verify(false);
          },
        );
      },
    });
    await raceAbort(Promise.race([ready, failure.promise]), deadline.signal);
    return link;
  } catch (error) {
    // No farewell: who fails here may be one that does not answer.
    socket?.destroy();
    await link?.end();
    if (isAbortOf(error, signal) || isTalariaError(error)) throw error;
    throw connectError(error, { login: server, credentials: credentials.description });
  }
}

/** Rejects with the first error after which the connection cannot be used. */
function listenForFailure(client: Client, link: SshLink, logger: Logger): PromiseWithResolvers<never> {
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => undefined);
  client.on('error', (error) => {
    if (isFatal(error)) failure.reject(error);
    else logger.debug('ssh.login-method-failed', { message: errorMessage(error) });
  });
  link.closed.then(() => failure.reject(new Error('Connection lost before handshake')));
  return failure;
}

/** Errors of one way to log in, after which the next is tried, are not. */
function isFatal(error: unknown): boolean {
  const level = levelOf(error);
  if (level === 'agent') return false;
  return level !== 'client-authentication' || errorMessage(error).startsWith('All configured');
}

function configOf(server: SshServer, options: ConnectOptions, knownTypes: readonly string[]): ConnectConfig {
  return {
    host: server.host,
    port: server.port ?? defaultSshPort,
    username: server.user,
    readyTimeout: 0,
    keepaliveInterval: options.keepAliveIntervalMs,
    keepaliveCountMax: options.keepAliveLimit,
    ...preferTypes(knownTypes),
  };
}

/** Signature algorithms of each type of key. */
const algorithmsOfType = {
  'ssh-ed25519': ['ssh-ed25519'],
  'ecdsa-sha2-nistp256': ['ecdsa-sha2-nistp256'],
  'ecdsa-sha2-nistp384': ['ecdsa-sha2-nistp384'],
  'ecdsa-sha2-nistp521': ['ecdsa-sha2-nistp521'],
  'ssh-rsa': ['rsa-sha2-512', 'rsa-sha2-256'],
} as const;

/** Asks the server first for a key that is known: else it may show another one, which nobody can judge. */
function preferTypes(knownTypes: readonly string[]): Pick<ConnectConfig, 'algorithms'> {
  const preferred = Object.entries(algorithmsOfType).flatMap(([type, names]) =>
    knownTypes.includes(type) ? [...names] : [],
  );
  if (preferred.length === 0) return {};
  // In this order: what is in the list already would not move.
  return { algorithms: { serverHostKey: { append: [], remove: preferred, prepend: preferred } } };
}
