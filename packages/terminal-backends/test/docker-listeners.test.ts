import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createDockerBackend } from '../src/docker/index.ts';
import { type FakeEngine, say, startFakeEngine } from './fake-engine.ts';
import { createWarningLog } from './open-daytona.ts';

let folder: string;
let engine: FakeEngine;
let isPulled = false;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'talaria-build-'));
  await writeFile(join(folder, 'Dockerfile'), 'FROM scratch\n');
  engine = await startFakeEngine({
    'GET /images/': (request, response) =>
      isPulled ? say(200, { Id: 'sha256:1' })(request, response) : say(404, { message: 'none' })(request, response),
    'POST /images/create': (_request, response) => {
      isPulled = true;
      response.end('{"status":"Pulling"}\n');
    },
    'POST /build': (request, response) => {
      request.resume().once('end', () => response.end('{"stream":"Step 1"}\n{"aux":{"ID":"sha256:2"}}\n'));
    },
  });
});

afterAll(async () => {
  await engine[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

test('a listener that throws ends neither a pull nor a build', async () => {
  const logger = createWarningLog();
  const backend = createDockerBackend({
    stateFolder: folder,
    environment: {},
    host: engine.host,
    logger,
    onProgress() {
      throw new Error('a fault of the listener');
    },
  });
  await backend.preflight({ images: ['some/thing'], mode: 'pull' });
  expect(await backend.buildImage({ context: folder, tag: 'some/other' })).toBe('sha256:2');
  const warning = ['sandbox.listener-failed', { message: 'a fault of the listener' }];
  expect(logger.warnings).toEqual([warning, warning]);
});

test('a build that names no platform is for that of the backend', async () => {
  const heard: string[] = [];
  const backend = createDockerBackend({
    stateFolder: folder,
    environment: {},
    host: engine.host,
    platform: 'linux/arm64',
    onProgress: ({ text }) => heard.push(text),
  });
  await backend.buildImage({ context: folder, tag: 'some/other', platform: undefined, onProgress: undefined });
  const target = engine.requests.findLast((line) => line.startsWith('POST /build')) ?? '';
  expect(new URL(target.slice(5), 'http://engine').searchParams.get('platform')).toBe('linux/arm64');
  expect(heard).toEqual(['Step 1']);
});
