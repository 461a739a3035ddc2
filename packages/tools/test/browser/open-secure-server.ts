import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';

/** Whether certificates can be made here. */
export const hasOpenssl: boolean = spawnSync('openssl', ['version']).status === 0;

/** What an HTTPS server heard of a request, or of a web socket. */
export interface HeardSecurely {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
}

/** An HTTPS server on loopback with a certificate of its own. */
export interface SecureServer extends AsyncDisposable {
  readonly port: number;
  readonly heard: readonly HeardSecurely[];
  /** An argument by which Chromium trusts this certificate, and no other. */
  readonly trust: string;
}

/** Opens it. Each web socket is told `hi`. */
export async function openSecureServer(
  respond: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<SecureServer> {
  const { key, cert } = makeCertificate();
  const heard: HeardSecurely[] = [];
  const sockets = new Set<Duplex>();
  const note = ({ url: path = '', headers }: IncomingMessage): void => void heard.push({ path, headers });
  const server = createServer({ key, cert }, (request, response) => {
    note(request);
    respond(request, response);
  });
  server.on('connection', (socket: Duplex) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  server.on('tlsClientError', () => undefined);
  server.on('upgrade', (request, socket) => {
    note(request);
    const accept = createHash('sha1')
      .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64');
    socket.on('error', () => undefined);
    socket.write(
      `HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    socket.write(Buffer.from([0x81, 2, 0x68, 0x69]));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const publicKey = new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' });
  return {
    port: (server.address() as AddressInfo).port,
    heard,
    trust: `--ignore-certificate-errors-spki-list=${createHash('sha256').update(publicKey).digest('base64')}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function makeCertificate(): { readonly key: string; readonly cert: string } {
  const folder = mkdtempSync(join(tmpdir(), 'talaria-tls-'));
  try {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
    const subject = ['-subj', '/CN=safe.test', '-addext', 'subjectAltName=DNS:safe.test'];
    execFileSync('openssl', ['req', ...kind, ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
