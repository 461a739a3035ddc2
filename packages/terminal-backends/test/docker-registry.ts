import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { writeTarHeader } from '../src/remote/files/tar-header.ts';

/** A registry on loopback that has one image, `thing:1`, with one file in it. */
export interface TestRegistry extends AsyncDisposable {
  /** `127.0.0.1:PORT`, which an engine takes for a registry without TLS. */
  readonly address: string;
  /** Paths that were asked for, in order. */
  readonly requests: readonly string[];
}

/** Options of {@link startRegistry}. */
export interface TestRegistryOptions {
  /** `user:password`; without it anybody may pull. */
  readonly login?: string | undefined;
  /** Answers every request with this status. */
  readonly refusal?: { readonly status: number; readonly code: string } | undefined;
  /** Never answers when it is asked for the layer. */
  readonly isStuck?: boolean | undefined;
}

const manifestType = 'application/vnd.docker.distribution.manifest.v2+json';

/** Starts one, as real as a pull needs it (https://distribution.github.io/distribution/spec/api/). */
export async function startRegistry(options: TestRegistryOptions = {}): Promise<TestRegistry> {
  const requests: string[] = [];
  const blobs = createImage();
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    answer(request, response, blobs, options);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The registry has no port');
  return {
    address: `127.0.0.1:${address.port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  blobs: ReadonlyMap<string, Buffer>,
  options: TestRegistryOptions,
): void {
  const { status, type, body } = decide(request, blobs, options);
  if (body === null) return;
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': body.length,
    'Docker-Content-Digest': digestOf(body),
    'WWW-Authenticate': 'Basic realm="test"',
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

interface Answer {
  readonly status: number;
  readonly type: string;
  /** `null` for none at all. */
  readonly body: Buffer | null;
}

function decide(
  { url = '', headers }: IncomingMessage,
  blobs: ReadonlyMap<string, Buffer>,
  { login, refusal, isStuck = false }: TestRegistryOptions,
): Answer {
  if (refusal !== undefined) return refuse(refusal.status, refusal.code);
  const given = Buffer.from(headers.authorization?.replace('Basic ', '') ?? '', 'base64').toString();
  if (login !== undefined && given !== login) return refuse(401, 'UNAUTHORIZED');
  if (url === '/v2/') return { status: 200, type: 'application/json', body: Buffer.from('{}') };
  const name = /^\/v2\/thing\/(?:manifests|blobs)\/(.+)$/.exec(url)?.[1] ?? '';
  const blob = blobs.get(name);
  if (blob === undefined) return refuse(404, 'MANIFEST_UNKNOWN');
  const isLayer = name === blobs.get('layer')?.toString();
  const type = url.includes('/manifests/') ? manifestType : 'application/octet-stream';
  return { status: 200, type, body: isStuck && isLayer ? null : blob };
}

function refuse(status: number, code: string): Answer {
  const body = Buffer.from(JSON.stringify({ errors: [{ code, message: `${code} it is` }] }));
  return { status, type: 'application/json', body };
}

/** Everything that can be asked for, by name and by digest. */
function createImage(): ReadonlyMap<string, Buffer> {
  // Of its own each time: an engine asks for no layer that it has.
  const content = Buffer.from(randomBytes(256).toString('hex'));
  const header = writeTarHeader({ name: 'pulled', kind: 'file', mode: 0o644, sizeBytes: 512, modifiedSeconds: 0 });
  const layer = Buffer.concat([header, content, Buffer.alloc(1_024)]);
  const config = Buffer.from(
    JSON.stringify({
      architecture: 'amd64',
      os: 'linux',
      config: { WorkingDir: '/there' },
      rootfs: { type: 'layers', diff_ids: [digestOf(layer)] },
      history: [{}],
    }),
  );
  const describe = (mediaType: string, blob: Buffer) => ({ mediaType, size: blob.length, digest: digestOf(blob) });
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: manifestType,
      config: describe('application/vnd.docker.container.image.v1+json', config),
      layers: [describe('application/vnd.docker.image.rootfs.diff.tar', layer)],
    }),
  );
  return new Map([
    ['1', manifest],
    ...[manifest, config, layer].map((blob) => [digestOf(blob), blob] as const),
    ['layer', Buffer.from(digestOf(layer))],
  ]);
}

function digestOf(blob: Buffer): string {
  return `sha256:${createHash('sha256').update(blob).digest('hex')}`;
}
