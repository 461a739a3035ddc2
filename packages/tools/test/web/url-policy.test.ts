import { describe, expect, test } from '@jest/globals';
import { Secret } from '@talaria/core';
import {
  createUrlPolicy,
  type ResolvedAddress,
  type UrlPolicyOptions,
  UrlRefusedError,
} from '../../src/web/url-policy/index.ts';

/** What refuses an address: the kind of the error, or that there was none. */
function verdictOf(url: string, options: UrlPolicyOptions = {}): string {
  try {
    createUrlPolicy(options).checkUrl(url);
    return 'passes';
  } catch (error) {
    if (error instanceof UrlRefusedError) return error.kind;
    throw error;
  }
}

async function resolveVerdict(addresses: readonly string[], options: UrlPolicyOptions = {}): Promise<string> {
  const found = addresses.map((address): ResolvedAddress => ({ address, family: address.includes(':') ? 6 : 4 }));
  const policy = createUrlPolicy({ ...options, resolve: async () => found });
  try {
    const given = await policy.resolve('some.example', 443);
    return given.map(({ address }) => address).join(' ');
  } catch (error) {
    if (error instanceof UrlRefusedError) return error.kind;
    throw error;
  }
}

const closedAddresses = [
  ['loopback', '127.0.0.1'],
  ['loopback, another', '127.255.255.254'],
  ['unspecified', '0.0.0.0'],
  ['this network', '0.1.2.3'],
  ['private A', '10.0.0.1'],
  ['private B', '172.16.0.1'],
  ['private B, last', '172.31.255.255'],
  ['private C', '192.168.1.1'],
  ['link-local', '169.254.1.1'],
  ['metadata of most clouds', '169.254.169.254'],
  ['metadata of containers', '169.254.170.2'],
  ['metadata of Alibaba', '100.100.100.200'],
  ['wire server of Azure', '168.63.129.16'],
  ['carrier-grade NAT', '100.64.0.1'],
  ['carrier-grade NAT, last', '100.127.255.255'],
  ['protocol assignments', '192.0.0.8'],
  ['documentation 1', '192.0.2.1'],
  ['documentation 2', '198.51.100.1'],
  ['documentation 3', '203.0.113.1'],
  ['6to4 relays', '192.88.99.1'],
  ['benchmarking', '198.18.0.1'],
  ['benchmarking, second half', '198.19.255.255'],
  ['multicast', '224.0.0.1'],
  ['reserved', '240.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ['IPv6 loopback', '::1'],
  ['IPv6 unspecified', '::'],
  ['IPv6 link-local', 'fe80::1'],
  ['IPv6 link-local, last', 'febf::1'],
  ['IPv6 site-local', 'fec0::1'],
  ['IPv6 unique local', 'fc00::1'],
  ['IPv6 unique local, used half', 'fd12:3456::1'],
  ['IPv6 metadata of Amazon', 'fd00:ec2::254'],
  ['IPv6 metadata of Google', 'fd20:ce::254'],
  ['IPv6 multicast', 'ff02::1'],
  ['IPv6 discard', '100::1'],
  ['IPv6 documentation', '2001:db8::1'],
  ['IPv6 documentation, new', '3fff::1'],
  ['IPv6 benchmarking', '2001:2::1'],
  ['IPv6 segment routing', '5f00::1'],
  ['IPv6 outside of what is given out', '4000::1'],
  ['IPv4-mapped loopback', '::ffff:127.0.0.1'],
  ['IPv4-mapped public', '::ffff:8.8.8.8'],
  ['IPv4-compatible', '::127.0.0.1'],
  ['IPv4-translated', '::ffff:0:127.0.0.1'],
  ['NAT64', '64:ff9b::7f00:1'],
  ['NAT64 of a public address', '64:ff9b::808:808'],
  ['NAT64, local', '64:ff9b:1::a00:1'],
  ['6to4', '2002:7f00:1::'],
  ['6to4 of a public address', '2002:808:808::1'],
  ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
] as const;

const openAddresses = ['8.8.8.8', '1.1.1.1', '172.15.0.1', '172.32.0.1', '100.63.255.255', '2606:4700:4700::1111'];

describe('a literal address', () => {
  test.each(closedAddresses)('of the range %s is refused: %s', (_range, address) => {
    expect(verdictOf(`http://${address.includes(':') ? `[${address}]` : address}/`)).toBe('blocked');
  });

  test.each(openAddresses)('that is public passes: %s', (address) => {
    expect(verdictOf(`http://${address.includes(':') ? `[${address}]` : address}/`)).toBe('passes');
  });

  test.each([
    'http://2130706433/',
    'http://0x7f000001/',
    'http://017700000001/',
    'http://127.1/',
    'http://127.0.1/',
    'http://0x7f.0.0.1/',
    'http://0177.0.0.01/',
    'http://127.0.0.1./',
    'http://0/',
    'http://%31%32%37.0.0.1/',
    'http://①②⑦.⓪.⓪.①/',
    'http://127。0。0。1/',
    'http:\\\\127.0.0.1\\',
    'http:127.0.0.1',
    '  http://127.0.0.1/  ',
    'ht\ntp://127.0.\t0.1/',
    'http://[0:0:0:0:0:0:0:1]/',
    'http://[::ffff:7f00:1]/',
    'http://[fe80::1%25eth0]/',
    'http://[fe80::1%eth0]/',
    'http://2852039166/',
    'http://0xa9fea9fe/',
    'http://[::ffff:a9fe:a9fe]/',
  ])('is known in the spelling %j', (url) => {
    expect(verdictOf(url)).toBe('blocked');
  });
});

describe('a name', () => {
  test.each([
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
    'localhost.localdomain',
    'ip6-localhost',
    'metadata.google.internal',
    'metadata.google.internal.',
    'METADATA.goog',
    'metadata.azure.internal',
    'metadata',
    'instance-data.ec2.internal',
  ])('of this machine or of a metadata service is refused: %s', (name) => {
    expect(verdictOf(`http://${name}/`)).toBe('blocked');
  });

  test.each(['example.com', 'notlocalhost', 'metadata.example.com', 'mylocalhost.example'])(
    'like %s passes',
    (name) => {
      expect(verdictOf(`https://${name}/`)).toBe('passes');
    },
  );

  test.each(closedAddresses)('with an address of the range %s is refused: %s', async (_range, address) => {
    expect(await resolveVerdict([address])).toBe('blocked');
  });

  test('is refused when one of several addresses is private', async () => {
    expect(await resolveVerdict(['8.8.8.8', '10.0.0.1'])).toBe('blocked');
    expect(await resolveVerdict(['8.8.8.8', '1.1.1.1'])).toBe('8.8.8.8 1.1.1.1');
  });

  test('with an address that is none, or with a zone, is refused', async () => {
    expect(await resolveVerdict(['not an address'])).toBe('blocked');
    expect(await resolveVerdict(['fe80::1%eth0'])).toBe('blocked');
  });

  test('without an address is a failure of the network', async () => {
    expect(await resolveVerdict([])).toBe('network');
    const policy = createUrlPolicy({
      resolve: async () => {
        throw Object.assign(new Error('getaddrinfo ENOTFOUND nowhere.example'), { code: 'ENOTFOUND' });
      },
    });
    await expect(policy.resolve('nowhere.example', 80)).rejects.toMatchObject({
      kind: 'network',
      code: 'task.url-refused',
      message: 'The host nowhere.example cannot be found (ENOTFOUND).',
    });
  });

  test('stops being resolved with the reason of the signal', async () => {
    const controller = new AbortController();
    const policy = createUrlPolicy({
      resolve: (_hostname, signal) =>
        new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
    });
    const waiting = policy.resolve('slow.example', 80, controller.signal);
    const reason = new Error('stop');
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(policy.resolve('slow.example', 80, AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  test('is resolved by the system where nothing else is said', async () => {
    const policy = createUrlPolicy({ allowPrivateHosts: ['localhost'] });
    const found = await policy.resolve('localhost', 80);
    expect(found.every(({ address }) => address === '127.0.0.1' || address === '::1')).toBe(true);
    expect(found.length).toBeGreaterThan(0);
  });
});

describe('private hosts that are allowed', () => {
  test.each([
    ['127.0.0.1', 'http://127.0.0.1:8080/', 'passes'],
    ['127.0.0.1', 'http://2130706433/', 'passes'],
    ['127.0.0.1', 'http://127.0.0.2/', 'blocked'],
    ['127.0.0.1:8080', 'http://127.0.0.1:8080/', 'passes'],
    ['127.0.0.1:8080', 'http://127.0.0.1:8081/', 'blocked'],
    ['127.0.0.1:80', 'http://127.0.0.1/', 'passes'],
    ['127.0.0.1:443', 'https://127.0.0.1/', 'passes'],
    ['::1', 'http://[::1]:3000/', 'passes'],
    ['[::1]:3000', 'http://[::1]:3000/', 'passes'],
    ['[::1]:3000', 'http://[::1]:3001/', 'blocked'],
    ['localhost', 'http://LOCALHOST./', 'passes'],
    ['*.localhost', 'http://a.localhost/', 'passes'],
    ['*.localhost', 'http://localhost/', 'blocked'],
  ])('%s: %s %s', (entry, url, expected) => {
    expect(verdictOf(url, { allowPrivateHosts: [entry] })).toBe(expected);
  });

  test('may have private addresses, no metadata ones', async () => {
    const options = { allowPrivateHosts: ['some.example:443'] };
    expect(await resolveVerdict(['10.0.0.1'], options)).toBe('10.0.0.1');
    expect(await resolveVerdict(['169.254.169.254'], options)).toBe('blocked');
    expect(await resolveVerdict(['10.0.0.1'], { allowPrivateHosts: ['some.example:80'] })).toBe('blocked');
  });

  test.each(['', 'http://a', 'a/b', 'a b', 'user@a', '*.', 'a:0', 'a:99999', '*', 'a?b', '[::1'])(
    'an entry that is no host is an error of the configuration: %j',
    (entry) => {
      expect(() => createUrlPolicy({ allowPrivateHosts: [entry] })).toThrow(/allowPrivateHosts has/);
      expect(() => createUrlPolicy({ blockedDomains: [entry] })).toThrow(/blockedDomains has/);
    },
  );
});

test.each([
  ['10.0.0.1', 'passes'],
  ['127.0.0.1', 'passes'],
  ['localhost', 'passes'],
  ['[fd12::1]', 'passes'],
  ['[::ffff:10.0.0.1]', 'passes'],
  ['169.254.169.254', 'blocked'],
  ['169.254.170.2', 'blocked'],
  ['[fd00:ec2::254]', 'blocked'],
  ['[::ffff:169.254.169.254]', 'blocked'],
  ['[64:ff9b::a9fe:a9fe]', 'blocked'],
  ['[2002:a9fe:a9fe::]', 'blocked'],
  ['[2001:0:0:0:0:0:5601:5601]', 'blocked'],
  ['100.100.100.200', 'blocked'],
  ['metadata.google.internal', 'blocked'],
])('an open private network keeps metadata closed: %s %s', (host, expected) => {
  expect(verdictOf(`http://${host}/`, { allowPrivateNetwork: true })).toBe(expected);
});

describe('domain lists', () => {
  test.each([
    ['https://example.com/', 'passes'],
    ['https://www.example.com./', 'passes'],
    ['https://EXAMPLE.COM/', 'passes'],
    ['https://bad.example.com/', 'blocked'],
    ['https://a.bad.example.com/', 'blocked'],
    ['https://notexample.com/', 'blocked'],
    ['https://example.com.evil.org/', 'blocked'],
    ['https://xn--bcher-kva.example/', 'passes'],
    ['https://bücher.example/', 'passes'],
    ['https://8.8.8.8/', 'blocked'],
  ])('decide over %s: %s', (url, expected) => {
    const options = { allowedDomains: ['example.com', 'Bücher.example'], blockedDomains: ['*.bad.example.com'] };
    expect(verdictOf(url, options)).toBe(expected);
  });

  test('are asked for a host that is only resolved, too', async () => {
    expect(await resolveVerdict(['8.8.8.8'], { blockedDomains: ['example'] })).toBe('blocked');
  });
});

test.each([
  'ftp://example.com/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'data:text/html,hello',
  'gopher://example.com/',
  'ws://example.com/',
  'view-source:http://example.com/',
  'blob:http://example.com/x',
  '',
  'example.com',
  '/path',
  'http://',
  'http:///',
  'http://exa mple.com/',
  'http://a:b@example.com/',
  'http://user@example.com/',
  'http://:pass@example.com/',
  `http://example.com/${'a'.repeat(10_000)}`,
  `http://${'a.'.repeat(200)}com/`,
])('what is not a plain web address is refused: %j', (url) => {
  expect(verdictOf(url)).toBe('blocked');
});

describe('secrets', () => {
  const secrets = [new Secret('API_KEY', 'Sk-Very/Secret Value+1')];
  const value = 'Sk-Very/Secret Value+1';

  test.each([
    ['in the query', `https://example.com/?q=${encodeURIComponent(value)}`],
    ['as it is', `https://example.com/?q=${value}`],
    ['in the path', `https://example.com/${encodeURI(value)}`],
    ['in the fragment', `https://example.com/#${value}`],
    ['encoded twice', `https://example.com/?q=${encodeURIComponent(encodeURIComponent(value))}`],
    [
      'with every character encoded',
      `https://example.com/?q=${Buffer.from(value).toString('hex').replace(/../g, '%$&')}`,
    ],
    ['in Base64', `https://example.com/?q=${encodeURIComponent(Buffer.from(value).toString('base64'))}`],
    ['in hexadecimal digits', `https://example.com/?q=${Buffer.from(value).toString('hex')}`],
    ['in the host', `https://${Buffer.from(value).toString('hex')}.example.com/`],
    ['broken by a tab', `https://example.com/?q=Sk-Very/Sec\tret Value+1`],
  ])('are refused %s and not repeated', (_where, url) => {
    expect(verdictOf(url, { secrets })).toBe('blocked');
    expect(() => createUrlPolicy({ secrets }).checkUrl(url)).toThrow(
      'The address holds the secret API_KEY. Leave it out.',
    );
  });

  test('do not keep other addresses from passing', () => {
    expect(verdictOf('https://example.com/?q=something%20%zz', { secrets })).toBe('passes');
  });
});
