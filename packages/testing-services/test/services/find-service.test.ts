import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { findService, planTests, type ServiceName } from '@talaria/testing-services/services';

let folder: string;
const servers: Server[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'talaria-services-'));
});

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
  await rm(folder, { recursive: true });
});

async function record(text: string): Promise<void> {
  await mkdir(join(folder, '.services'), { recursive: true });
  await writeFile(join(folder, '.services/services.json'), text);
}

/** A file of the checkout, by its absolute path. */
async function writeIn(name: string, text: string): Promise<string> {
  await writeFile(join(folder, name), text);
  return join(folder, name);
}

async function listen(server: Server, at: number | string): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(at, () => resolve()));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function findReason(name: ServiceName): Promise<string> {
  const found = await findService(name, { folder });
  return found.kind === 'absent' ? found.reason : 'ready';
}

describe('the services file', () => {
  test('is told to be missing, with what to do', async () => {
    expect(await findReason('docker')).toBe(
      'docker is not there: .services/services.json tells of none; run: node scripts/services.ts up docker',
    );
  });

  test('is found from a folder below', async () => {
    await record('{}');
    await mkdir(join(folder, 'packages/a'), { recursive: true });
    const found = await findService('ssh', { folder: join(folder, 'packages/a') });
    expect(found).toEqual({
      kind: 'absent',
      reason: expect.stringContaining(`${folder}/.services/services.json tells`),
    });
  });

  test.each(['null', '[]', '{"docker":null}', '{"docker":{"socketPath":"/run/x","image":7}}'])(
    'that holds %s describes nothing',
    async (text) => {
      await record(text);
      expect(await findReason('docker')).toContain('tells of none');
    },
  );

  test('that is no JSON is an error that names it', async () => {
    await record('{"docker"');
    await expect(findService('docker', { folder })).rejects.toMatchObject({
      message: `${folder}/.services/services.json is not JSON; remove it and run: node scripts/services.ts up`,
    });
  });
});

describe.each(['docker', 'podman'] as const)('%s', (name) => {
  const images = { image: 'talaria-test/debian:12', shellImage: 'talaria-test/busybox:1' };

  async function serve(statusOf: (url: string) => number): Promise<void> {
    const socketPath = join(folder, 'engine.sock');
    await record(JSON.stringify({ [name]: { socketPath, version: '1', ...images } }));
    await listen(
      createHttpServer((request, response) => response.writeHead(statusOf(request.url ?? '')).end('{}')),
      socketPath,
    );
  }

  test('is ready when the engine answers and has both images', async () => {
    const asked: string[] = [];
    await serve((url) => {
      asked.push(url);
      return 200;
    });
    expect(await findService(name, { folder })).toMatchObject({ kind: 'ready', service: images });
    expect(asked).toEqual(['/_ping', `/images/${images.image}/json`, `/images/${images.shellImage}/json`]);
  });

  test('is absent when an image is', async () => {
    await serve((url) => (url.includes('busybox') ? 404 : 200));
    expect(await findReason(name)).toContain('has no image talaria-test/busybox:1;');
  });

  test('is absent when the engine is not well', async () => {
    await serve(() => 500);
    expect(await findReason(name)).toContain('does not answer (status 500)');
  });

  test('is absent when nothing listens', async () => {
    const socketPath = join(folder, 'engine.sock');
    await record(JSON.stringify({ [name]: { socketPath, version: '1', ...images } }));
    expect(await findReason(name)).toContain(`${socketPath} does not answer (connect ENOENT`);
  });
});

describe('ssh', () => {
  async function recordPort(port: number): Promise<void> {
    const privateKeyPath = join(folder, 'client-key');
    const knownHostsPath = await writeIn('known-hosts', '');
    const ssh = { host: '127.0.0.1', port, user: 'me', privateKeyPath, knownHostsPath, serverPath: '/usr/sbin/sshd' };
    await record(JSON.stringify({ ssh }));
  }

  async function greet(greeting: string): Promise<void> {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.end(greeting);
    });
    await recordPort(await listen(server, 0));
  }

  test('is ready when a server greets as one of SSH', async () => {
    await writeIn('client-key', '');
    await greet('SSH-2.0-test\r\n');
    expect(await findService('ssh', { folder })).toMatchObject({ kind: 'ready', service: { user: 'me' } });
  });

  test.each([
    ['HTTP/1.1 400\r\n', '(HTTP/1.1 400)'],
    ['', '(the connection was closed)'],
  ])('is absent when the greeting is %j', async (greeting, said) => {
    await greet(greeting);
    expect(await findReason('ssh')).toContain(said);
  });

  test('is absent when its key is', async () => {
    await greet('SSH-2.0-test\r\n');
    expect(await findReason('ssh')).toContain(`${folder}/client-key cannot be read;`);
  });

  test('is absent when nothing listens', async () => {
    await greet('');
    await new Promise((resolve) => servers.splice(0)[0]?.close(resolve));
    expect(await findReason('ssh')).toContain('ECONNREFUSED');
  });
});

describe('apptainer', () => {
  async function recordProgram(text: string): Promise<void> {
    const path = await writeIn('apptainer', text);
    await chmod(path, 0o755);
    const image = join(folder, 'debian.sif');
    const shellImage = await writeIn('busybox.sif', '');
    await record(JSON.stringify({ apptainer: { path, version: '1', image, shellImage, needsNoPrivs: false } }));
  }

  test('is ready when the program runs and the images are there', async () => {
    await recordProgram('#!/bin/sh\n[ "$1" = --version ]\n');
    await writeIn('debian.sif', '');
    expect(await findService('apptainer', { folder })).toMatchObject({ kind: 'ready' });
  });

  test('is absent when the program fails, with its last line', async () => {
    await recordProgram('#!/bin/sh\necho first >&2\necho no root >&2\nexit 3\n');
    expect(await findReason('apptainer')).toContain('/apptainer does not run (no root);');
  });

  test('is absent when an image is', async () => {
    await recordProgram('#!/bin/sh\n');
    expect(await findReason('apptainer')).toContain('/debian.sif cannot be read;');
  });
});

describe('tests that need a service', () => {
  const absent = { kind: 'absent', reason: 'why' } as const;
  const service = { path: '/a', version: '1', image: '/b', shellImage: '/c', needsNoPrivs: false };

  test.each([{}, { TALARIA_REQUIRE_SERVICES: '' }, { TALARIA_REQUIRE_SERVICES: '0' }])(
    'are skipped with the reason under %j',
    (environment) => expect(planTests(absent, environment)).toEqual({ kind: 'skip', reason: 'why' }),
  );

  test('fail with the reason where services are required', () => {
    expect(planTests(absent, { TALARIA_REQUIRE_SERVICES: '1' })).toEqual({ kind: 'fail', reason: 'why' });
  });

  test.each([{}, { TALARIA_REQUIRE_SERVICES: '1' }])('run when it is there, under %j', (environment) => {
    const plan = planTests<'apptainer'>({ kind: 'ready', service }, environment);
    expect(plan).toEqual({ kind: 'run', service });
  });
});
