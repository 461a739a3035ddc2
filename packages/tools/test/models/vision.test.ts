import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Secret } from '@talaria/core';
import { createBuiltinRegistry } from '@talaria/tools';
import { createModelTools, type ModelToolsOptions } from '@talaria/tools/models';
import { createTestDispatcher, type TestDispatcher } from '@talaria/tools/testing';
import { createUrlPolicy } from '@talaria/tools/web';
import { type LocalTools, openLocalTools } from '../open-local-sandbox.ts';
import { pictures } from './pictures.ts';
import { createScriptedToolModel, type ScriptedToolModel } from './scripted-tool-model.ts';

let local: LocalTools;
beforeEach(async () => {
  local = await openLocalTools();
});
afterEach(async () => local[Symbol.asyncDispose]());

function openTools(vision: ScriptedToolModel, options: Partial<ModelToolsOptions> = {}): TestDispatcher {
  const registry = createBuiltinRegistry(createModelTools({ vision, ...options }));
  return createTestDispatcher({ view: registry.view({ enabled: ['vision'] }), sandbox: local.sandbox });
}

const question = 'What is it?';

function seeing(): ScriptedToolModel {
  return createScriptedToolModel('eye', () => 'A dot.');
}

/** The image that a model was shown. */
function shownTo(model: ScriptedToolModel): unknown {
  const content = model.asked[0]?.messages[0]?.content;
  const part = Array.isArray(content) ? content.find((entry) => entry.type === 'image_url') : undefined;
  return part?.image_url.url;
}

async function serve(listener: RequestListener): Promise<AsyncDisposable & { readonly url: string }> {
  const server: Server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('an image in the sandbox', () => {
  test.each(Object.entries(pictures))('%s is shown as what it is, whatever its name', async (type, bytes) => {
    const eye = seeing();
    await using tools = openTools(eye);
    await local.sandbox.writeFile('dir/a file.txt', bytes);
    const args = { image_url: 'dir/a file.txt', question };
    expect(await tools.callJson('vision_analyze', args)).toEqual({ success: true, analysis: 'A dot.' });
    expect(shownTo(eye)).toBe(`data:${type};base64,${bytes.toString('base64')}`);
    expect(JSON.stringify(eye.asked[0])).toContain(question);
  });

  test('is all that can be looked at where the task has no network, beside data', async () => {
    const eye = seeing();
    const registry = createBuiltinRegistry(createModelTools({ vision: eye }));
    await using tools = createTestDispatcher({
      view: registry.view({ enabled: ['vision'] }),
      sandbox: local.sandbox,
      settings: { isNetworkAllowed: false },
    });
    await local.sandbox.writeFile('a.png', pictures['image/png']);
    const kindOf = async (url: string) => (await tools.call('vision_analyze', { image_url: url, question })).errorKind;
    expect(await kindOf('https://x.example/?data=secret')).toBe('blocked');
    expect(await kindOf('a.png')).toBeNull();
    expect(await kindOf(`data:image/png;base64,${pictures['image/png'].toString('base64')}`)).toBeNull();
    expect(eye.asked).toHaveLength(2);
  });

  test('may be named by a file address', async () => {
    const eye = seeing();
    await using tools = openTools(eye);
    await local.sandbox.writeFile('a b.png', pictures['image/png']);
    const args = { image_url: `file://${local.sandbox.cwd}/a%20b.png`, question };
    expect(await tools.callJson('vision_analyze', args)).toMatchObject({ success: true });
  });

  test('is refused where it is something else, too large, or no file', async () => {
    const eye = seeing();
    await using tools = openTools(eye);
    await local.sandbox.writeFile('page.png', '<svg xmlns="http://www.w3.org/2000/svg"/>');
    await local.sandbox.writeFile('empty.png', '');
    execFileSync('truncate', ['-s', '20971521', `${local.sandbox.cwd}/huge.png`]);
    execFileSync('mkfifo', [`${local.sandbox.cwd}/pipe.png`]);
    const kinds = [];
    for (const path of ['page.png', 'empty.png', 'huge.png', 'pipe.png', '.', 'missing.png', '/dev/zero', 'a\0b']) {
      kinds.push((await tools.call('vision_analyze', { image_url: path, question })).errorKind);
    }
    expect(kinds).toEqual([
      'invalid_args',
      'invalid_args',
      'too_large',
      'invalid_args',
      'invalid_args',
      'not_found',
      'permission',
      'invalid_args',
    ]);
    expect(eye.asked).toEqual([]);
  });
});

describe('an image in the address', () => {
  const encoded = pictures['image/png'].toString('base64');

  test.each([
    `data:image/png;base64,${encoded}`,
    `DATA:text/plain;charset=utf-8;base64,${encoded.replaceAll('=', '')}`,
    `data:;base64,\n${encoded.slice(0, 20)}\n${encoded.slice(20)}`,
    `data:;base64,${encoded.slice(0, 20)}${' \n'.repeat(100_000)}${encoded.slice(20)}`,
  ])('is decoded and shown as what it is: %#', async (url) => {
    const eye = seeing();
    await using tools = openTools(eye);
    expect(await tools.callJson('vision_analyze', { image_url: url, question })).toMatchObject({ success: true });
    expect(shownTo(eye)).toBe(`data:image/png;base64,${encoded}`);
  });

  test.each([
    ['data:image/png;base64', 'invalid_args'],
    ['data:image/png;base64,', 'invalid_args'],
    ['data:image/png;base64,!!!!', 'invalid_args'],
    ['data:image/png;base64,AAAAA', 'invalid_args'],
    ['data:image/png,abc', 'invalid_args'],
    [`data:image/png;base64,${Buffer.from('no image').toString('base64')}`, 'invalid_args'],
    ['data:image/png;base64,AAAA====', 'invalid_args'],
    ['data:image/png;base64,AA=A', 'invalid_args'],
    [`data:image/png;base64,${'A'.repeat(70_000)}=${'A'.repeat(70_000)}`, 'invalid_args'],
    [`data:image/png;base64,${'A'.repeat(65_535)}=${'='.repeat(2)}`, 'invalid_args'],
    [`data:image/png;base64,${'\n'.repeat(5_000_000)}`, 'invalid_args'],
    [`data:image/png;base64,${'A'.repeat(28_000_000)}`, 'too_large'],
    [`data:image/png;base64,${'A'.repeat(45_000_000)}`, 'too_large'],
  ])('is refused: %#', async (url, errorKind) => {
    const eye = seeing();
    await using tools = openTools(eye);
    const outcome = await tools.call('vision_analyze', { image_url: url, question });
    expect({ kind: outcome.errorKind, content: outcome.content.slice(0, 300) }).toMatchObject({ kind: errorKind });
    expect(eye.asked).toEqual([]);
  });
});

describe('an image at an address', () => {
  test('is fetched under the policy', async () => {
    await using server = await serve((request, response) => {
      response.end(request.url === '/dot' ? pictures['image/gif'] : '<html>');
    });
    const eye = seeing();
    const policy = createUrlPolicy({ allowPrivateHosts: ['127.0.0.1'] });
    await using tools = openTools(eye, { policy });
    expect(await tools.callJson('vision_analyze', { image_url: `${server.url}/dot`, question })).toMatchObject({
      success: true,
    });
    expect(shownTo(eye)).toMatch(/^data:image\/gif;base64,/);
    const page = await tools.call('vision_analyze', { image_url: `${server.url}/page`, question });
    expect(page.errorKind).toBe('invalid_args');
  });

  test('is not fetched from private addresses, also by a redirect, unless the policy allows it', async () => {
    let visits = 0;
    await using inner = await serve((_request, response) => {
      visits += 1;
      response.end(pictures['image/png']);
    });
    await using outer = await serve((_request, response) => {
      response.writeHead(302, { location: `${inner.url}/dot` }).end();
    });
    const eye = seeing();
    await using closed = openTools(eye);
    expect((await closed.call('vision_analyze', { image_url: inner.url, question })).errorKind).toBe('blocked');
    const policy = createUrlPolicy({ allowPrivateHosts: [new URL(outer.url).host] });
    await using half = openTools(eye, { policy });
    expect((await half.call('vision_analyze', { image_url: outer.url, question })).errorKind).toBe('blocked');
    expect(visits).toBe(0);
    expect(eye.asked).toEqual([]);
  });

  test('is not named by more than its host where it may not be visited', async () => {
    const policy = createUrlPolicy({ secrets: [new Secret('TOKEN', 'abcdefgh12345678')] });
    await using tools = openTools(seeing(), { policy });
    const refused = await tools.callJson('vision_analyze', {
      image_url: 'https://x.example/a.png?q=abcdefgh12345678',
      question,
    });
    expect(refused['error']).toBe('x.example was not fetched: The address holds the secret TOKEN. Leave it out.');
  });

  test('tells of a status, a broken connection, an endless answer and another kind of address', async () => {
    await using server = await serve((request, response) => {
      if (request.url === '/hang-up') response.destroy();
      else if (request.url === '/endless') {
        response.on('error', () => undefined);
        const more = (): void => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536)));
        };
        response.on('drain', more);
        more();
      } else response.writeHead(404).end('nothing');
    });
    const policy = createUrlPolicy({ allowPrivateHosts: ['127.0.0.1'] });
    await using tools = openTools(seeing(), { policy });
    const kindOf = async (url: string): Promise<unknown> =>
      (await tools.call('vision_analyze', { image_url: url, question })).errorKind;
    expect(await kindOf(`${server.url}/missing`)).toBe('not_found');
    expect(await kindOf(`${server.url}/hang-up`)).toBe('network');
    expect(await kindOf(`${server.url}/endless`)).toBe('too_large');
    expect(await kindOf('ftp://host/x.png')).toBe('invalid_args');
    expect(await kindOf('http://')).toBe('blocked');
    expect(await kindOf(`http://host/${'x'.repeat(5_000)}`)).toBe('invalid_args');
  });
});

test('what the model rejects with becomes a result; an abort passes through', async () => {
  await local.sandbox.writeFile('dot.gif', pictures['image/gif']);
  const args = { image_url: 'dot.gif', question };
  await using failing = openTools(
    createScriptedToolModel('eye', () => {
      throw new TypeError('broken');
    }),
  );
  expect(await failing.call('vision_analyze', args)).toMatchObject({
    errorKind: 'internal',
    content: '{"error":"eye failed: broken","error_kind":"internal","success":false}',
  });
  await using silent = openTools(createScriptedToolModel('eye', () => ' '));
  expect((await silent.call('vision_analyze', args)).errorKind).toBe('network');
  const stop = new AbortController();
  const reason = new Error('stop');
  const waiting = createScriptedToolModel('eye', (_request, signal) => {
    stop.abort(reason);
    return Promise.reject(signal.aborted ? new DOMException('mine', 'AbortError') : new Error('not heard'));
  });
  await using tools = openTools(waiting);
  await expect(tools.call('vision_analyze', args, stop.signal)).rejects.toBe(reason);
});

test.each([
  [{}, 'image_url'],
  [{ image_url: 'x' }, 'question'],
  [{ image_url: '', question }, 'image_url'],
  [{ image_url: ['x'], question }, 'image_url'],
  [{ image_url: 'x', question: 'q'.repeat(20_001) }, 'question'],
])('wrong arguments are refused: %#', async (args, field) => {
  await using tools = openTools(seeing());
  expect(await tools.call('vision_analyze', args)).toMatchObject({
    errorKind: 'invalid_args',
    content: expect.stringContaining(field),
  });
});
