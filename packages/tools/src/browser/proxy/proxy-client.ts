import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { errorMessage, systemErrorCode, truncateText } from '@talaria/core';
import { UrlRefusedError } from '../../web/url-policy/index.ts';

/** A request that the proxy did not pass on. */
export interface RefusedRequest {
  /** The whole address of plain HTTP; `host:port` of anything else, of which the proxy sees no more. */
  readonly target: string;
  readonly kind: 'blocked' | 'network' | 'too_large';
  /** Fit for the model. */
  readonly message: string;
}

/** One user of the proxy: the browser of one rollout. Disposing of it closes its connections. */
export interface ProxyClient extends Disposable {
  readonly username: string;
  readonly password: string;
  /** What was refused since this was last called; at most 50. */
  takeRefusals(): readonly RefusedRequest[];
  /** Notes a refusal of somebody who sees more than the proxy. */
  refuse(target: string, error: unknown): RefusedRequest;
  /** Lets the full number of bytes through again. */
  renewBudget(): void;
  /** Closes all connections that are open now; others can be opened. */
  cutConnections(): void;
}

/** What the proxy does with a client. */
export interface ProxyClientState extends ProxyClient {
  /** Whether a password is this client's. */
  accepts(password: string): boolean;
  /** Aborted when the client is disposed of. */
  readonly signal: AbortSignal;
  /** Something to destroy when the client leaves; dispose of the result when it ended by itself. */
  hold(connection: { destroy(): unknown }): Disposable;
  /** Counts bytes that come in; gives whether they may be passed on. */
  receive(byteCount: number, target: string): boolean;
}

const maxRefusals = 50;

/** Creates a client with a name and a password that nobody can guess. */
export function createProxyClient(maxBytes: number, leave: (username: string) => void): ProxyClientState {
  const username = randomBytes(12).toString('hex');
  const password = randomBytes(24).toString('hex');
  const ending = new AbortController();
  const connections = new Set<{ destroy(): unknown }>();
  let refusals: RefusedRequest[] = [];
  let receivedBytes = 0;

  function cutConnections(): void {
    for (const connection of [...connections]) connection.destroy();
    connections.clear();
  }

  function note(refusal: RefusedRequest): RefusedRequest {
    if (refusals.length < maxRefusals) refusals.push(refusal);
    return refusal;
  }

  return {
    username,
    password,
    signal: ending.signal,
    accepts: (given) => timingSafeEqual(digest(given), digest(password)),
    takeRefusals() {
      const taken = refusals;
      refusals = [];
      return taken;
    },
    renewBudget() {
      receivedBytes = 0;
    },
    refuse(target, error) {
      if (error instanceof UrlRefusedError) return note({ target, kind: error.kind, message: error.message });
      const reason = systemErrorCode(error) ?? errorMessage(error);
      return note({
        target,
        kind: 'network',
        message: `${truncateText(hostOf(target), maxTargetChars)} cannot be reached (${reason}).`,
      });
    },
    cutConnections,
    hold(connection) {
      connections.add(connection);
      return { [Symbol.dispose]: () => void connections.delete(connection) };
    },
    receive(byteCount, target) {
      const wasOver = receivedBytes > maxBytes;
      receivedBytes += byteCount;
      if (receivedBytes <= maxBytes) return true;
      const message = `The page loads more than ${maxBytes} bytes; the rest was cut off.`;
      if (!wasOver) note({ target, kind: 'too_large', message });
      return false;
    },
    [Symbol.dispose]() {
      leave(username);
      ending.abort(new Error('The browser was closed'));
      cutConnections();
    },
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Longest target in a sentence. */
const maxTargetChars = 120;

/**
 * What is told of a refusal. Of a target that is forbidden only the host, since it may be forbidden for what else it holds;
 * of any other no more than leaves room for the reason.
 */
export function describeRefusal({ kind, target, message }: RefusedRequest): string {
  return `Not loaded: ${truncateText(kind === 'blocked' ? hostOf(target) : target, maxTargetChars)}. ${message}`;
}

/** The host of an address; `host:port` is one already. */
function hostOf(target: string): string {
  return /^[a-z]+:\/\//i.test(target) ? (URL.parse(target)?.host ?? '(no address)') : target;
}
