import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from '@jest/globals';
import { createId, silentLogger, systemClock } from '@talaria/core';
import { createManualClock } from '@talaria/core/testing';
import Dockerode from 'dockerode';
import { createDockerConnector, pingDocker } from '../src/docker/docker-engine.ts';
import { createDockerTransport } from '../src/docker/docker-transport.ts';
import { createProcessRoom } from '../src/docker/process-room.ts';
import { saveSnapshot } from '../src/docker/save-snapshot.ts';
import { type FakeEngine, hang, say, startFakeEngine } from './fake-engine.ts';

const reason = new Error('stop');

function containerOf({ socketPath }: FakeEngine): Dockerode.Container {
  return new Dockerode({ socketPath }).getContainer('c');
}

test('a start that the engine never answers ends with the signal, and with it the connection', async () => {
  const closed = Promise.withResolvers<void>();
  await using engine = await startFakeEngine({
    'POST /containers/c/exec': say(201, { Id: 'e' }),
    'POST /exec/e/start': (request) => void request.socket.once('close', () => closed.resolve()),
  });
  const transport = createDockerTransport({ container: containerOf(engine), host: engine.host, clock: systemClock });
  const stop = new AbortController();
  const starting = transport.start({ words: ['true'], signal: stop.signal });
  const refused = expect(starting).rejects.toBe(reason);
  await engine.asked('POST /exec/e/start');
  stop.abort(reason);
  await refused;
  await closed.promise;
});

test('whether a container lives is asked for 20 seconds at most', async () => {
  await using engine = await startFakeEngine({ 'GET /containers/c/json': hang });
  const clock = createManualClock();
  const transport = createDockerTransport({ container: containerOf(engine), host: engine.host, clock });
  const asking = transport.isAlive();
  await engine.asked('GET /containers/c/json');
  await clock.advance(20_000);
  expect(await asking).toBe(false);
});

test('an engine that never says its version is not waited for', async () => {
  await using engine = await startFakeEngine({ 'GET /version': hang });
  const clock = createManualClock();
  const connect = createDockerConnector({ host: engine.host, environment: {}, clock });
  const refused = expect(connect()).rejects.toMatchObject({ code: 'config.docker-unreachable' });
  await engine.asked('GET /version');
  await clock.advance(30_000);
  await refused;
});

test('an engine that never answers a ping is not waited for', async () => {
  await using engine = await startFakeEngine({ 'GET /_ping': hang });
  const clock = createManualClock();
  const { host, socketPath } = engine;
  const known = { client: new Dockerode({ socketPath }), host, version: '24', platform: 'linux/amd64' };
  const refused = expect(pingDocker(known, { clock, signal: undefined })).rejects.toMatchObject({
    code: 'config.docker-unreachable',
  });
  await engine.asked('GET /_ping');
  await clock.advance(30_000);
  await refused;
  await expect(pingDocker(known, { clock, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});

test('a snapshot that is aborted rejects at once, and its late image is deleted', async () => {
  const committing = Promise.withResolvers<ServerResponse>();
  await using engine = await startFakeEngine({
    'POST /commit': (_request, response) => committing.resolve(response),
    'DELETE /images/': say(200, []),
  });
  const stop = new AbortController();
  const { socketPath, host } = engine;
  const saving = saveSnapshot(containerOf(engine), {
    facts: { Config: {} },
    engine: { client: new Dockerode({ socketPath }), host },
    setup: { createId, logger: silentLogger },
    signal: stop.signal,
  });
  const refused = expect(saving).rejects.toBe(reason);
  const response = await committing.promise;
  stop.abort(reason);
  await refused;
  say(201, { Id: 'sha256:1' })(response.req, response);
  await engine.asked('DELETE /images/talaria-snapshot:');
});

test('the limit of processes is what it was once nobody needs more', async () => {
  let limit = 512;
  const updates: number[] = [];
  await using engine = await startFakeEngine({
    'GET /containers/c/json': (request, response) => say(200, { HostConfig: { PidsLimit: limit } })(request, response),
    'POST /containers/c/update': async (request, response) => {
      const [body] = await once(request, 'data');
      limit = JSON.parse(String(body)).PidsLimit;
      updates.push(limit);
      say(200, {})(request, response);
    },
  });
  const makeRoom = createProcessRoom(containerOf(engine), systemClock);
  const [first, second] = await Promise.all([makeRoom(), makeRoom()]);
  await first?.[Symbol.asyncDispose]();
  expect(limit).toBe(576);
  await second?.[Symbol.asyncDispose]();
  await using _third = await makeRoom();
  expect(updates).toEqual([576, 512, 576]);
});
