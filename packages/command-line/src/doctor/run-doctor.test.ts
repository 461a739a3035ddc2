import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSocketServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { resolveTerminalConfig } from '@talaria/environments';
import { createScriptedServer } from '@talaria/testing-services';
import { createFakeHost, type FakeHostOptions } from '../../test/fake-host.ts';
import { findPeerPackage } from './find-package.ts';
import { probeDaytona } from './probe-daytona.ts';
import { probeDocker } from './probe-docker.ts';
import { probeModal } from './probe-modal.ts';
import { probeSsh } from './probe-ssh.ts';
import { runDoctor } from './run-doctor.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'talaria-doctor-'));
  await mkdir(join(folder, 'bin'));
  await program('bash', 'echo "GNU bash, version 5.2.15(1)-release"');
  await program('mkfifo', 'exit 0');
});

afterAll(() => rm(folder, { recursive: true }));

/** Puts a program on the PATH of the examined machine. */
async function program(name: string, script: string): Promise<void> {
  const path = join(folder, 'bin', name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
}

/** Serves on a free port of loopback while `action` runs. */
async function whileServing<Result>(listener: RequestListener, action: (baseUrl: string) => Promise<Result>) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  try {
    return await action(`http://127.0.0.1:${port}/v1`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

async function examine(args: readonly string[], baseUrls: readonly string[] = [], options: FakeHostOptions = {}) {
  const host = createFakeHost({ variables: { PATH: join(folder, 'bin') }, homeFolder: folder, ...options });
  const modelServers = baseUrls.map((baseUrl, index) => ({ prefix: 'ollama', title: `server ${index}`, baseUrl }));
  const exitCode = await runDoctor(host, args, { modelServers });
  return { exitCode, text: host.stdout.text };
}

test('says what is there, what is missing and how to get it', async () => {
  const { exitCode, text } = await examine([]);
  expect(exitCode).toBe(0);
  expect(text).toMatch(/^ok +bash +5\.2\.15/m);
  expect(text).toMatch(/\n\nWhich tools can be offered here: talaria tools doctor\n$/);
  expect(text).toMatch(/^ok +local +isolates nothing/m);
  expect(text).toMatch(/^missing +rg .*\n +apt-get install ripgrep/m);
  expect(text).toMatch(/^ok +state folder +.*\.local\/state\/talaria/m);
  expect(text).toMatch(/^missing +model access/m);
  expect(text).toContain('No model server answers');
});

test('fails where something is missing without which nothing runs', async () => {
  const { exitCode, text } = await examine([], [], { variables: { PATH: '/nowhere' } });
  expect(exitCode).toBe(1);
  expect(text).toMatch(/^missing +bash \(required\)/m);
  expect((await examine([], [], { nodeVersion: '22.18.0' })).exitCode).toBe(1);
});

test('finds a model server and tells the one command that uses it', async () => {
  const body = JSON.stringify({ object: 'list', data: [{ id: 'qwen3 8b' }, { id: 'llama' }] });
  await whileServing(
    (request, response) => response.end(request.url === '/v1/models' ? body : ''),
    async (baseUrl) => {
      const { text } = await examine([], [baseUrl]);
      expect(text).toContain(`server 0 at ${baseUrl}: qwen3 8b, llama`);
      expect(text).toContain(`talaria run terminal-test --model 'ollama/qwen3 8b'`);
    },
  );
});

test('another program on the port is no model server, and a closed port is silent', async () => {
  await whileServing(
    (_request, response) => response.end('<html>hello</html>'),
    async (baseUrl) => {
      const { text } = await examine(['--json'], [baseUrl, 'http://127.0.0.1:1/v1']);
      expect(JSON.parse(text).model_servers).toEqual([
        { name: 'server 0', base_url: baseUrl, status: 'other', models: [], command: null },
        { name: 'server 1', base_url: 'http://127.0.0.1:1/v1', status: 'silent', models: [], command: null },
      ]);
    },
  );
});

test('--json is one object that holds everything', async () => {
  const { text } = await examine(['--json'], [], {
    variables: { PATH: join(folder, 'bin'), OPENAI_API_KEY: 'sk-secret' },
  });
  const report = JSON.parse(text);
  expect(report).toMatchObject({ reason: 'done', exit_code: 0, model_servers: [] });
  expect(report.findings).toContainEqual({
    name: 'model access',
    status: 'ok',
    is_required: false,
    detail: 'OPENAI_API_KEY set',
    hint: null,
  });
  expect(text).not.toContain('sk-secret');
});

test('a state folder that cannot be used keeps Talaria from running', async () => {
  await writeFile(join(folder, 'a-file'), '');
  const variables = { PATH: join(folder, 'bin'), TERMINAL_SANDBOX_DIR: join(folder, 'a-file', 'below') };
  const { exitCode, text } = await examine([], [], { variables });
  expect(exitCode).toBe(1);
  expect(text).toMatch(/^broken +state folder \(required\)/m);
});

test('asks the server that is configured, and says what is wrong with it', async () => {
  await using server = await createScriptedServer({ apiKey: 'right', models: ['big', 'small'] });
  const found = async (variables: Readonly<Record<string, string>>) => {
    const { text } = await examine(['--json'], [], {
      variables: { PATH: join(folder, 'bin'), OPENAI_BASE_URL: server.baseUrl, ...variables },
    });
    expect(text).not.toContain('wrong-key');
    return JSON.parse(text).findings.find(({ name }: { name: string }) => name === 'model server');
  };
  expect(await found({ OPENAI_API_KEY: 'right', OPENAI_MODEL: 'small' })).toMatchObject({
    status: 'ok',
    hint: 'answers, and has small',
  });
  expect(await found({ OPENAI_API_KEY: 'right' })).toMatchObject({ status: 'ok', hint: 'answers; offers big, small' });
  expect(await found({ OPENAI_API_KEY: 'right', OPENAI_MODEL: 'huge' })).toMatchObject({
    status: 'broken',
    detail: expect.stringContaining('does not name huge'),
  });
  expect(await found({ OPENAI_API_KEY: 'wrong-key' })).toMatchObject({
    status: 'broken',
    detail: expect.stringContaining('refuses the key in OPENAI_API_KEY (401)'),
  });
  expect(await found({})).toMatchObject({ status: 'broken', detail: expect.stringContaining('wants a key') });
  expect(await found({ OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' })).toMatchObject({
    status: 'broken',
    detail: expect.stringContaining('does not answer'),
  });
  expect(await found({ OPENAI_BASE_URL: 'nonsense' })).toMatchObject({ status: 'broken' });
});

test('refuses flags that it does not know', async () => {
  await expect(examine(['--jsno'])).rejects.toMatchObject({
    code: 'config.unknown-flag',
    hint: 'Did you mean --json?',
  });
});

describe('backends', () => {
  interface Told {
    readonly status: string;
    readonly is_required: boolean;
    readonly detail: string;
    readonly hint: string | null;
  }

  /** What is told of one backend on a machine with these variables. */
  async function told(name: string, variables: Readonly<Record<string, string>> = {}, args: readonly string[] = []) {
    const path = { PATH: join(folder, 'bin'), ...variables };
    const { text, exitCode } = await examine(['--json', ...args], [], { variables: path });
    const { findings } = JSON.parse(text);
    const found: Told = findings.find((finding: { readonly name: string }) => finding.name === name);
    return { ...found, exitCode, text };
  }

  /** A socket that says something to whoever connects, and then listens. */
  async function whileSaying<Result>(greeting: string, path: string | null, action: (port: number) => Promise<Result>) {
    const server = createSocketServer((socket) => {
      socket.on('error', () => undefined).resume();
      socket.write(greeting);
    });
    await new Promise<void>((resolve) => {
      if (path === null) server.listen(0, '127.0.0.1', resolve);
      else server.listen(path, resolve);
    });
    const address = server.address();
    try {
      return await action(typeof address === 'object' ? (address?.port ?? 0) : 0);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  }

  test('all six are told, and only the one that a run would use is required', async () => {
    const { text } = await examine(['--json'], [], { variables: { PATH: join(folder, 'bin'), TERMINAL_ENV: 'modal' } });
    const kinds = ['local', 'docker', 'ssh', 'modal', 'singularity', 'daytona'];
    const findings = JSON.parse(text).findings.filter(({ name }: { name: string }) => kinds.includes(name));
    expect(
      findings.map(({ name, is_required: isRequired }: { name: string; is_required: boolean }) => [name, isRequired]),
    ).toEqual(kinds.map((kind) => [kind, kind === 'modal']));
    expect((await told('modal', { TERMINAL_ENV: 'modal' })).exitCode).toBe(1);
  });

  test.each([
    ['an engine', '{"Version":"27.1.2","Components":[{"Name":"Engine","Version":"27.1.2"}]}', '27.1.2'],
    ['Podman', '{"Version":"4.3.1","Components":[{"Name":"Podman Engine","Version":"4.3.1"}]}', 'Podman 4.3.1'],
  ])('docker: %s that answers is told with its version', async (_title, body, detail) => {
    const socketPath = join(folder, 'docker.sock');
    const answer = `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    await whileSaying(answer, socketPath, async () => {
      const found = await told('docker', { DOCKER_HOST: `unix://${socketPath}` });
      expect(found).toMatchObject({ status: 'ok', detail, hint: expect.stringContaining(socketPath) });
    });
  });

  test.each([
    ['a socket that is not there', 'unix:///nowhere/docker.sock', /no such socket/, /DOCKER_HOST/],
    ['a socket of Podman that is not there', 'unix:///nowhere/podman.sock', /no such socket/, /podman\.socket/],
    ['a port where nobody listens', 'tcp://127.0.0.1:1', /ECONNREFUSED/, /DOCKER_HOST/],
  ])('docker: %s', async (_title, address, detail, hint) => {
    expect(await told('docker', { DOCKER_HOST: address })).toMatchObject({
      status: 'broken',
      detail: expect.stringMatching(detail),
      hint: expect.stringMatching(hint),
    });
  });

  test('docker: something else that answers is no engine', async () => {
    await whileServing(
      (_request, response) => response.end('<html>'),
      async (baseUrl) => {
        const found = await told('docker', { DOCKER_HOST: `tcp://${new URL(baseUrl).host}` });
        expect(found).toMatchObject({ status: 'broken', detail: expect.stringContaining('is no Docker engine') });
      },
    );
  });

  test('ssh: nobody is asked without a configuration; with one, the server is, and nobody logs in', async () => {
    expect(await told('ssh')).toMatchObject({ status: 'ok', hint: expect.stringContaining('TERMINAL_SSH_HOST') });
    const key = join(folder, 'key');
    await writeFile(key, 'a key');
    await whileSaying('welcome\r\nSSH-2.0-OpenSSH_9.9\r\n', null, async (port) => {
      const server = { TERMINAL_SSH_HOST: '127.0.0.1', TERMINAL_SSH_PORT: String(port), TERMINAL_SSH_USER: 'me' };
      expect(await told('ssh', { ...server, TERMINAL_SSH_KEY: key })).toMatchObject({
        status: 'ok',
        hint: expect.stringContaining(`me@127.0.0.1:${port}, which answers as OpenSSH_9.9`),
      });
      expect(await told('ssh', { ...server, TERMINAL_SSH_KEY: '~/nothing' })).toMatchObject({
        status: 'broken',
        detail: expect.stringContaining(join(folder, 'nothing')),
      });
      expect(await told('ssh', server)).toMatchObject({
        status: 'missing',
        hint: expect.stringMatching(/^ssh-keygen /),
      });
    });
    const silent = { TERMINAL_SSH_HOST: '127.0.0.1', TERMINAL_SSH_PORT: '1', TERMINAL_SSH_KEY: key };
    expect(await told('ssh', silent)).toMatchObject({
      status: 'broken',
      detail: expect.stringContaining('ECONNREFUSED'),
    });
  });

  test('ssh: a wrong variable is told beside its backend, and ends nothing', async () => {
    const found = await told('ssh', { TERMINAL_SSH_PORT: 'twenty' });
    expect(found).toMatchObject({
      status: 'broken',
      exitCode: 0,
      detail: expect.stringContaining('TERMINAL_SSH_PORT'),
    });
  });

  test.each([
    ['modal', { MODAL_TOKEN_ID: 'ak-1', MODAL_TOKEN_SECRET: 'as-hush' }, /MODAL_TOKEN_ID/],
    ['daytona', { DAYTONA_API_KEY: 'dtn-hush' }, /DAYTONA_API_KEY/],
    ['daytona', { DAYTONA_JWT_TOKEN: 'hush', DAYTONA_ORGANIZATION_ID: 'o' }, /DAYTONA_JWT_TOKEN/],
  ])('%s: credentials are looked for, and never shown', async (kind, variables, hint) => {
    expect(await told(kind)).toMatchObject({ status: 'missing', detail: expect.stringMatching(/0\.\d+\.\d+/) });
    const found = await told(kind, variables);
    expect(found).toMatchObject({ status: 'ok', hint: expect.stringMatching(hint) });
    expect(found.text).not.toContain('hush');
  });

  describe('with a package of another version', () => {
    const { config } = resolveTerminalConfig({ variables: {} });

    test.each([
      ['modal', probeModal, '0.10.2'],
      ['modal', probeModal, '0.12.0'],
      ['@daytona/sdk', probeDaytona, '0.100.0'],
      ['ssh2', probeSsh, '1.16.0'],
      ['dockerode', probeDocker, '4.0.9'],
    ])('%s is not usable', async (name, probe, version) => {
      const { range } = await findPeerPackage(name);
      expect(range).toMatch(/^\^/);
      const host = createFakeHost({ variables: { DOCKER_HOST: 'https://docker.example:2376' } });
      expect(await probe(host, config, async () => ({ name, range, version }))).toEqual({
        status: 'broken',
        detail: `${name} ${version} is installed, and the backend works with ${range}`,
        hint: `npm install ${name}@${range}`,
      });
      const absent = await probe(host, config, async () => ({ name, range, version: null }));
      expect(absent).toMatchObject({ status: 'missing', hint: `npm install ${name}@${range}` });
    });

    test('modal is told from the package that had its name', async () => {
      const found = { name: 'modal', range: '^0.11', version: '1.2.0' };
      expect(await probeModal(createFakeHost(), config, async () => found)).toMatchObject({
        status: 'broken',
        detail: expect.stringContaining('another package'),
        hint: 'npm install modal@^0.11',
      });
    });

    test('docker: an engine that answers is told beside it', async () => {
      const body = '{"Version":"27.1.2"}';
      const socketPath = join(folder, 'old-docker.sock');
      await whileSaying(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`, socketPath, async () => {
        const host = createFakeHost({ variables: { DOCKER_HOST: `unix://${socketPath}` } });
        const found = { name: 'dockerode', range: '^5', version: '4.0.9' };
        expect(await probeDocker(host, config, async () => found)).toMatchObject({
          status: 'broken',
          detail: 'engine 27.1.2 answers; dockerode 4.0.9 is installed, and the backend works with ^5',
        });
      });
    });

    test('what is asked for is what the backends ask for, wherever the package lies', async () => {
      const backends = join(folder, 'node_modules', 'backends');
      const place = join(folder, 'node_modules', 'modal');
      for (const path of [backends, place]) await mkdir(path, { recursive: true });
      await writeFile(join(backends, 'package.json'), '{"peerDependencies":{"modal":"^7"}}');
      await writeFile(join(place, 'package.json'), '{"version":"6.1.0"}');
      expect(await findPeerPackage('modal', backends)).toEqual({ name: 'modal', range: '^7', version: '6.1.0' });
      await writeFile(join(place, 'package.json'), '{"version":');
      expect(await findPeerPackage('modal', backends)).toMatchObject({ version: 'unknown' });
      expect(await findPeerPackage('nothing-of-this-name', backends)).toMatchObject({ range: '', version: null });
    });
  });

  test('singularity: the program is asked for its version', async () => {
    expect(await told('singularity')).toMatchObject({ status: 'missing', hint: expect.stringContaining('apptainer') });
    await program('singularity', '[ "$1" = version ] && echo 3.11.4');
    expect(await told('singularity')).toMatchObject({ detail: expect.stringContaining('3.11.4') });
    await program('apptainer', 'echo "FATAL: no configuration" >&2; exit 255');
    expect(await told('singularity')).toMatchObject({ status: 'broken', detail: expect.stringContaining('FATAL') });
    const chosen = { TALARIA_TERMINAL_SINGULARITY_PROGRAM: join(folder, 'bin', 'singularity') };
    expect(await told('singularity', chosen)).toMatchObject({ detail: expect.stringContaining('3.11.4') });
  });

  test('a configuration file is read', async () => {
    await writeFile(
      join(folder, 'run.yaml'),
      'env: {my_field: 1}\nterminal: {backend: docker, docker: {host: "unix:///x"}}',
    );
    const path = join(folder, 'run.yaml');
    for (const args of [['--config', path], [`--config=${path}`]]) {
      expect(await told('docker', {}, args)).toMatchObject({
        is_required: true,
        exitCode: 1,
        detail: expect.stringContaining('unix:///x'),
      });
    }
  });
});
