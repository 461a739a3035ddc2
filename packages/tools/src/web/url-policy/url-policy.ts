import { isIP } from 'node:net';
import { errorMessage, isAbortOf, type Secret, systemErrorCode, truncateText } from '@talaria/core';
import { addressKind } from './address-kind.ts';
import { canonicalHost, createDomainMatcher, createHostMatcher, type HostPort } from './host-pattern.ts';
import { isMetadataHost } from './metadata-hosts.ts';
import { type ResolvedAddress, type ResolveHost, resolveBySystem } from './resolve-host.ts';
import { createSecretSearch } from './secret-search.ts';
import { UrlRefusedError } from './url-refused-error.ts';

/** What {@link createUrlPolicy} takes. */
export interface UrlPolicyOptions {
  /** Host names, addresses, `host:port` or `*.suffix` that may be private (test servers). @default none */
  readonly allowPrivateHosts?: readonly string[] | undefined;
  /** Every private address may be visited; metadata names and addresses stay closed. @default false */
  readonly allowPrivateNetwork?: boolean | undefined;
  /** Only these domains and their subdomains. @default all */
  readonly allowedDomains?: readonly string[] | undefined;
  /** Never these domains and their subdomains, whatever `allowedDomains` says. @default none */
  readonly blockedDomains?: readonly string[] | undefined;
  /** Refused in any part of an address, in any of their forms (`secretForms` of `@talaria/core`). @default none */
  readonly secrets?: readonly Secret[] | undefined;
  /** @default the system's resolver */
  readonly resolve?: ResolveHost | undefined;
}

/** Decides which addresses may be visited. */
export interface UrlPolicy {
  /**
   * Checks all that can be told from the text: scheme, credentials, secrets, domain lists, literal addresses in every
   * spelling, metadata names. A name that passes must still be resolved by {@link UrlPolicy.resolve}.
   *
   * @throws UrlRefusedError
   */
  checkUrl(url: string): URL;
  /**
   * Checks a text that goes to a service on the web, such as a query: it must hold no secret.
   *
   * @throws UrlRefusedError
   */
  checkText(text: string): void;
  /**
   * Resolves a host and checks every address; gives those to connect to, and to no others.
   *
   * @throws UrlRefusedError where one is refused or none is found; rejects with the signal's reason
   */
  resolve(hostname: string, port: number, signal?: AbortSignal): Promise<readonly ResolvedAddress[]>;
}

/** Longest address, in UTF-16 units: what servers and proxies commonly take. */
const maxUrlChars = 8_192;

/** Longest host name by the rules of DNS. */
const maxHostChars = 253;

/**
 * Creates a policy. Only `http:` and `https:` pass, and only hosts all of whose addresses are public, unless the options
 * open more.
 *
 * @throws ConfigError `config.invalid` for an entry of a list that is no host
 */
export function createUrlPolicy(options: UrlPolicyOptions = {}): UrlPolicy {
  const { allowPrivateNetwork = false, resolve: resolveHost = resolveBySystem } = options;
  const mayBePrivate = createHostMatcher('allowPrivateHosts', options.allowPrivateHosts ?? []);
  const isAllowed =
    options.allowedDomains === undefined ? () => true : createDomainMatcher('allowedDomains', options.allowedDomains);
  const isBlocked = createDomainMatcher('blockedDomains', options.blockedDomains ?? []);
  const findSecret = createSecretSearch(options.secrets ?? []);

  /** Checks the name and, where it is an address already, the address. */
  function checkHost(host: HostPort): void {
    const { name } = host;
    if (name === '') throw new UrlRefusedError('blocked', 'The address has no host.');
    if (name.length > maxHostChars) throw new UrlRefusedError('blocked', 'The host of the address is too long.');
    if (isMetadataHost(name)) throw refusedHost(name, 'is the metadata service of a cloud');
    if (isBlocked(host)) throw refusedHost(name, 'is on the list of blocked domains');
    if (!isAllowed(host)) throw refusedHost(name, 'is not on the list of allowed domains');
    if (isIP(name) !== 0) checkAddress(name, host);
    else if (isLocalName(name) && !allowPrivateNetwork && !mayBePrivate(host)) {
      throw refusedHost(name, 'is this machine itself');
    }
  }

  function checkAddress(address: string, host: HostPort): void {
    const kind = addressKind(address);
    if (kind === 'public') return;
    const what = address === host.name ? 'is' : `has the address ${address}, which is`;
    if (kind === 'metadata') throw refusedHost(host.name, `${what} in the range of metadata services`);
    if (kind === 'private' && (allowPrivateNetwork || mayBePrivate(host))) return;
    throw refusedHost(host.name, `${what} in a private or reserved network`);
  }

  async function find(name: string, signal: AbortSignal | undefined): Promise<readonly ResolvedAddress[]> {
    try {
      return await resolveHost(name, signal);
    } catch (cause) {
      if (isAbortOf(cause, signal)) throw cause;
      const reason = systemErrorCode(cause) ?? errorMessage(cause);
      throw new UrlRefusedError('network', `The host ${name} cannot be found (${reason}).`, {
        cause,
      });
    }
  }

  return {
    checkUrl(text) {
      const url = parseUrl(text);
      const secretName = findSecret(text) ?? findSecret(url.href);
      if (secretName !== undefined) {
        throw new UrlRefusedError('blocked', `The address holds the secret ${secretName}. Leave it out.`);
      }
      if (url.protocol !== 'http:' && url.protocol !== 'https:') {
        throw new UrlRefusedError(
          'blocked',
          `Only http and https can be visited, not ${truncateText(url.protocol, 30)}`,
        );
      }
      if (url.username !== '' || url.password !== '') {
        throw new UrlRefusedError('blocked', 'The address holds a user name or password. Leave them out.');
      }
      checkHost({ name: canonicalHost(url.hostname), port: portOf(url) });
      return url;
    },
    checkText(text) {
      const secretName = findSecret(text);
      if (secretName !== undefined) {
        throw new UrlRefusedError('blocked', `The text holds the secret ${secretName}. Leave it out.`);
      }
    },
    async resolve(hostname, port, signal) {
      signal?.throwIfAborted();
      const host: HostPort = { name: canonicalHost(hostname), port };
      checkHost(host);
      const family = isIP(host.name);
      if (family !== 0) return [{ address: host.name, family: family === 6 ? 6 : 4 }];
      const found = await find(host.name, signal);
      if (found.length === 0) throw new UrlRefusedError('network', `The host ${host.name} has no address.`);
      for (const { address } of found) checkAddress(address, host);
      return found;
    },
  };
}

/** The port that an address of `http:` or `https:` stands for. */
export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

function parseUrl(text: string): URL {
  if (text.length > maxUrlChars) {
    throw new UrlRefusedError(
      'blocked',
      `The address has ${text.length} characters; at most ${maxUrlChars} are allowed.`,
    );
  }
  const url = URL.parse(text);
  // The text is not repeated: it might hold a secret, which can only be looked for where it is an address.
  if (url === null)
    throw new UrlRefusedError('blocked', 'This is no complete address. Start it with http:// or https://.');
  return url;
}

/** Names of this machine by RFC 6761, and those that Linux systems give it. */
function isLocalName(name: string): boolean {
  return /(?:^|\.)localhost$|^localhost\.localdomain$|^ip6-(?:localhost|loopback)$/.test(name);
}

function refusedHost(name: string, why: string): UrlRefusedError {
  return new UrlRefusedError('blocked', `Blocked: ${name} ${why}.`, {
    hint: 'Name test servers in allowPrivateHosts, and domains in allowedDomains or blockedDomains.',
  });
}
