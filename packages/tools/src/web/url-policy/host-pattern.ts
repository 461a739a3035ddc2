import { ConfigError } from '@talaria/core';

/** A host and a port that are asked about. The name is canonical, see {@link canonicalHost}. */
export interface HostPort {
  readonly name: string;
  readonly port: number;
}

/** Whether a host belongs to a list. */
export type HostMatcher = (host: HostPort) => boolean;

/** The name as it is compared: lower case, no brackets around IPv6, no final dots. */
export function canonicalHost(hostname: string): string {
  const bare = hostname.startsWith('[') && hostname.endsWith(']') ? hostname.slice(1, -1) : hostname;
  let end = bare.length;
  while (bare[end - 1] === '.') end -= 1;
  return bare.slice(0, end).toLowerCase();
}

/**
 * Creates a matcher of `host`, `host:port`, `address`, `[address]:port` and `*.suffix`.
 *
 * @throws ConfigError `config.invalid` for an entry that is none of these
 */
export function createHostMatcher(optionName: string, entries: readonly string[]): HostMatcher {
  const patterns = entries.map((entry) => parsePattern(optionName, entry));
  return ({ name, port }) =>
    patterns.some(
      (pattern) =>
        (pattern.port === undefined || pattern.port === port) &&
        (pattern.isSuffix ? name.endsWith(`.${pattern.name}`) : name === pattern.name),
    );
}

/**
 * Creates a matcher of domains, each with its subdomains. `*.example.com` means the same as `example.com`.
 *
 * @throws ConfigError `config.invalid` for an entry that is no host
 */
export function createDomainMatcher(optionName: string, entries: readonly string[]): HostMatcher {
  const patterns = entries.map((entry) => parsePattern(optionName, entry));
  return ({ name, port }) =>
    patterns.some(
      (pattern) =>
        (pattern.port === undefined || pattern.port === port) &&
        (name === pattern.name || name.endsWith(`.${pattern.name}`)),
    );
}

interface HostPattern {
  readonly name: string;
  readonly port: number | undefined;
  readonly isSuffix: boolean;
}

function parsePattern(optionName: string, entry: string): HostPattern {
  const isSuffix = entry.startsWith('*.');
  const text = isSuffix ? entry.slice(2) : entry;
  const isBareVersion6 = !text.startsWith('[') && text.split(':').length > 2;
  const [, host = '', port] = isBareVersion6 ? [text, `[${text}]`] : (/^(.*?)(?::(\d{1,5}))?$/s.exec(text) ?? []);
  // Anything that an address could hold beside its host would silently be ignored by the parser below.
  const isPlain = host !== '' && !/[\s/\\?#@*]/.test(host) && URL.canParse(`http://${host}/`);
  if (!isPlain || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) {
    throw new ConfigError(`${optionName} has ${JSON.stringify(entry)}, which is no host`, {
      code: 'config.invalid',
      hint: 'Write a name, an address, host:port or *.suffix, without a scheme and a path.',
    });
  }
  return {
    name: canonicalHost(new URL(`http://${host}/`).hostname),
    port: port === undefined ? undefined : Number(port),
    isSuffix,
  };
}
