import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { createPolicyFetch, createUrlPolicy } from '../../src/web/index.ts';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
const isNeeded = process.env['TALARIA_REQUIRE_SERVICES'] === '1';
const testWithOpenssl = hasOpenssl || isNeeded ? test : test.skip;
const suffix = hasOpenssl ? '' : ' (skipped: there is no openssl to make a certificate)';

function makeCertificate(): { readonly key: string; readonly cert: string } {
  const folder = mkdtempSync(join(tmpdir(), 'talaria-tls-'));
  try {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const names = ['secure', ...Array.from({ length: 300 }, (_, index) => `name-${index}`)];
    const alternatives = names.map((name) => `DNS:${name}.example`).join(',');
    const subject = ['-subj', '/CN=secure.example', '-addext', `subjectAltName=${alternatives}`];
    const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
    execFileSync('openssl', ['req', ...kind, ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

testWithOpenssl(`a secure connection is bound to the checked address and still proves the name${suffix}`, async () => {
  const { key, cert } = makeCertificate();
  const names: unknown[] = [];
  const server = createServer({ key, cert }, (request, response) => {
    names.push('servername' in request.socket ? request.socket.servername : undefined);
    response.end('secure');
  });
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const policy = createUrlPolicy({
    allowPrivateNetwork: true,
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  });
  const fetchPage = createPolicyFetch(policy, { certificateAuthorities: cert });
  try {
    const { bytes } = await fetchPage(`https://secure.example:${port}/`);
    expect(Buffer.from(bytes).toString()).toBe('secure');
    expect(names).toEqual(['secure.example']);
    // Node names all the hosts of the certificate; the model is told the first of them.
    await expect(fetchPage(`https://other.example:${port}/`)).rejects.toMatchObject({
      kind: 'network',
      message: expect.stringMatching(/^.{100,450} \(ERR_TLS_CERT_ALTNAME_INVALID\)\.$/),
    });
    await expect(createPolicyFetch(policy)(`https://secure.example:${port}/`)).rejects.toMatchObject({
      kind: 'network',
      message: expect.stringContaining('DEPTH_ZERO_SELF_SIGNED_CERT'),
    });
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});
