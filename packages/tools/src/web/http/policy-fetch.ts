import { type Clock, systemClock } from '@talaria/core';
import type { UrlPolicy } from '../url-policy/index.ts';
import { WebError } from '../web-error.ts';
import { type ExchangeAnswer, exchange, isRedirectStatus } from './exchange.ts';
import { retryWhenLimited } from './retry-after.ts';

/** What {@link createPolicyFetch} takes. */
export interface PolicyFetchOptions {
  /** From the start of each request until the head of its answer, in milliseconds. @default 15_000 */
  readonly headersTimeoutMs?: number | undefined;
  /** From the head of an answer to its end, in milliseconds. @default 30_000 */
  readonly bodyTimeoutMs?: number | undefined;
  /** Most bytes to keep of a body, decoded. @default 5_242_880 */
  readonly maxBytes?: number | undefined;
  /** @default 5 */
  readonly maxRedirects?: number | undefined;
  /** @default 'Mozilla/5.0 (compatible; Talaria)' */
  readonly userAgent?: string | undefined;
  /** Certificates that are trusted instead of the system's, as PEM. @default the system's */
  readonly certificateAuthorities?: string | undefined;
  /** @default the real clock */
  readonly clock?: Clock | undefined;
}

/** What one call of a {@link PolicyFetch} takes. */
export interface PolicyFetchRequest {
  readonly signal?: AbortSignal | undefined;
  /** @default that of the options */
  readonly maxBytes?: number | undefined;
  /** Added to the usual ones, lower-case names. Never sent on to another origin. @default none */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** An answer of any status that is no redirect. */
export interface PolicyResponse {
  readonly status: number;
  /** The address that answered, after redirects. */
  readonly url: string;
  /** The header as it came; `null` where there was none. */
  readonly contentType: string | null;
  /** Decoded; at most `maxBytes`. */
  readonly bytes: Uint8Array;
  /** Whether there was more. */
  readonly isTruncated: boolean;
}

/**
 * Fetches an address under a policy.
 *
 * @throws UrlRefusedError where the policy refuses the address or one that it leads to; WebError for everything else that
 * goes wrong; rejects with the signal's reason
 */
export type PolicyFetch = (url: string, request?: PolicyFetchRequest) => Promise<PolicyResponse>;

/**
 * Creates a fetch for addresses that a model names. Each address, the redirects' included, is checked, its host resolved
 * once, and the connection made to the addresses that passed. One answer of 429 is tried again where it asks for 10 s or
 * less. Every connection is closed before the call settles.
 */
export function createPolicyFetch(policy: UrlPolicy, options: PolicyFetchOptions = {}): PolicyFetch {
  const { clock = systemClock, maxRedirects = 5, userAgent = 'Mozilla/5.0 (compatible; Talaria)' } = options;

  function send(url: URL, isFirstOrigin: boolean, request: PolicyFetchRequest): Promise<ExchangeAnswer> {
    const { signal } = request;
    const own = isFirstOrigin ? request.headers : {};
    const sendOnce = (): Promise<ExchangeAnswer> =>
      exchange({
        url,
        method: 'GET',
        headers: { accept: 'text/html, text/*;q=0.9, */*;q=0.5', 'user-agent': userAgent, ...own },
        body: undefined,
        maxBytes: request.maxBytes ?? options.maxBytes ?? 5_242_880,
        headersTimeoutMs: options.headersTimeoutMs ?? 15_000,
        bodyTimeoutMs: options.bodyTimeoutMs ?? 30_000,
        resolve: (hostname, port, stopSignal) => policy.resolve(hostname, port, stopSignal),
        certificateAuthorities: options.certificateAuthorities,
        clock,
        signal,
      });
    return retryWhenLimited(sendOnce, clock, signal);
  }

  return async (start, request = {}) => {
    const visited = new Set<string>();
    let url = policy.checkUrl(start);
    const { origin } = url;
    for (;;) {
      visited.add(url.href);
      const answer = await send(url, url.origin === origin, request);
      const location = answer.header('location');
      if (!isRedirectStatus(answer.status) || location === undefined) {
        const { status, bytes, isTruncated } = answer;
        return { status, url: url.href, contentType: answer.header('content-type') ?? null, bytes, isTruncated };
      }
      url = followed(policy, url, location);
      if (visited.has(url.href)) {
        throw new WebError('network', `${url.host} redirects in a loop.`, { status: answer.status });
      }
      if (visited.size > maxRedirects) {
        throw new WebError('network', `${url.host} redirects more than ${maxRedirects} times.`, {
          status: answer.status,
        });
      }
    }
  };
}

function followed(policy: UrlPolicy, from: URL, location: string): URL {
  const next = URL.parse(headerText(location), from.href);
  if (next === null) {
    throw new WebError('network', `${from.host} redirects to something that is no address.`);
  }
  if (next.hash === '') next.hash = from.hash;
  return policy.checkUrl(next.href);
}

/** Headers are read as Latin-1; most servers that send other letters than ASCII mean UTF-8. */
function headerText(value: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}
