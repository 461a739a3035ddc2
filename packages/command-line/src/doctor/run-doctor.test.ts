import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createScriptedServer } from '@talaria/testing-services';
import { createFakeHost, type FakeHostOptions } from '../../test/fake-host.ts';
import { runDoctor } from './run-doctor.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'talaria-doctor-'));
  await mkdir(join(folder, 'bin'));
  await program('bash', 'echo "GNU bash, version 5.2.15(1)-release"');
  await program('docker', 'echo "Cannot connect to the Docker daemon" >&2; exit 1');
  await program('ssh', 'echo "OpenSSH_9.2p1, OpenSSL 3.0" >&2');
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
  expect(text).toMatch(/^ok +ssh +9\.2p1/m);
  expect(text).toMatch(/^missing +rg .*\n +apt-get install ripgrep/m);
  expect(text).toMatch(/^broken +docker engine +Cannot connect to the Docker daemon\n +https/m);
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
