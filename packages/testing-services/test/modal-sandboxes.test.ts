import { access, readdir, readFile } from 'node:fs/promises';
import { expect, jest, test } from '@jest/globals';
import { createManualClock } from '@talaria/core/testing';
import { createModalDouble } from '../src/modal/index.ts';
import { connect, failureOf, openModal, run } from './open-modal.ts';

// Each test starts a server and processes, on machines that may be busy.
jest.setTimeout(60_000);

test('a sandbox runs until it is told to end, and tells 137 then', async () => {
  await using modal = await openModal();
  const sandbox = await modal.create();
  expect(await sandbox.poll()).toBeNull();
  expect(modal.double.sandboxes).toEqual([expect.objectContaining({ id: sandbox.sandboxId, isRunning: true })]);
  expect(await sandbox.terminate({ wait: true })).toBe(137);
  expect(await sandbox.poll()).toBe(137);
  expect(modal.double.sandboxes[0]?.isRunning).toBe(false);
  await sandbox.terminate();
});

test('after the end commands are answered with NOT_FOUND, and file calls with the SDK’s NotFoundError', async () => {
  await using modal = await openModal();
  const sandbox = await modal.create();
  await run(sandbox, ['true']);
  await sandbox.terminate();
  expect(await failureOf(sandbox.exec(['true']))).toMatchObject({ name: 'ClientError', code: 5 });
  expect(await failureOf(sandbox.filesystem.readBytes('/etc/hostname'))).toMatchObject({ name: 'NotFoundError' });
  const again = await modal.client.sandboxes.fromId(sandbox.sandboxId);
  expect(await failureOf(again.exec(['true']))).toMatchObject({ name: 'ConflictError' });
});

test('the end of a sandbox breaks what waits in it', async () => {
  await using modal = await openModal();
  const sandbox = await modal.create();
  const process = await sandbox.exec(['sleep', '1000'], { mode: 'binary' });
  const failures = Promise.all([failureOf(process.wait()), failureOf(process.stdout.readBytes())]);
  await modal.double.whenCalls('TaskExecStdioRead', 1);
  await modal.double.whenCalls('TaskExecWait', 1);
  await sandbox.terminate();
  expect(await failures).toEqual([expect.objectContaining({ code: 5 }), expect.objectContaining({ code: 5 })]);
});

test('a sandbox is found by its name while it runs, by its id, and by all of its tags', async () => {
  await using modal = await openModal();
  const { client, app } = modal;
  const one = await modal.create({ name: 'one', tags: { run: 'a', task: '1' } });
  const two = await modal.create({ tags: { run: 'a', task: '2' } });
  const found = await client.sandboxes.fromName('talaria', 'one');
  expect(found.sandboxId).toBe(one.sandboxId);
  expect((await run(found, ['echo', 'hello'])).stdout).toBe('hello\n');
  found.detach();
  expect(await failureOf(modal.create({ name: 'one' }))).toMatchObject({ name: 'AlreadyExistsError' });

  const idsOf = async (tags: Record<string, string>): Promise<string[]> => {
    const ids: string[] = [];
    for await (const sandbox of client.sandboxes.list({ appId: app.appId, tags })) ids.push(sandbox.sandboxId);
    return ids;
  };
  expect(await idsOf({ run: 'a' })).toEqual([two.sandboxId, one.sandboxId]);
  expect(await idsOf({ run: 'a', task: '1' })).toEqual([one.sandboxId]);
  await two.setTags({ run: 'b' });
  expect(await two.getTags()).toEqual({ run: 'b' });
  expect(await idsOf({ run: 'b' })).toEqual([two.sandboxId]);

  await one.terminate();
  expect(await idsOf({ run: 'a' })).toEqual([]);
  expect(await failureOf(client.sandboxes.fromName('talaria', 'one'))).toMatchObject({ name: 'NotFoundError' });
  expect(await failureOf(client.sandboxes.fromName('nobody', 'one'))).toMatchObject({ name: 'NotFoundError' });
  const again = await modal.create({ name: 'one' });
  expect(again.sandboxId).not.toBe(one.sandboxId);
});

test('a list of many sandboxes comes in pages and misses none', async () => {
  await using modal = await openModal({ isolation: 'folder' });
  const ids = await Promise.all(Array.from({ length: 23 }, async () => (await modal.create()).sandboxId));
  const listed: string[] = [];
  for await (const sandbox of modal.client.sandboxes.list({ appId: modal.app.appId })) listed.push(sandbox.sandboxId);
  expect(listed.sort()).toEqual(ids.sort());
  expect(modal.double.calls.filter((call) => call.method === 'SandboxListV2')).toHaveLength(4);
});

test('the lifetime ends a sandbox with 124, whatever runs in it', async () => {
  const clock = createManualClock();
  await using modal = await openModal({ clock });
  const sandbox = await modal.create({ timeoutMs: 60_000 });
  const process = await sandbox.exec(['sleep', '1000']);
  await clock.advance(59_999);
  expect(await sandbox.poll()).toBeNull();
  await clock.advance(1);
  expect(await sandbox.wait()).toBe(124);
  expect(await failureOf(process.wait())).toMatchObject({ code: 5 });
});

test('an idle sandbox ends, one with a command does not', async () => {
  const clock = createManualClock();
  await using modal = await openModal({ clock });
  const idle = await modal.create({ timeoutMs: 600_000, idleTimeoutMs: 10_000 });
  const busy = await modal.create({ timeoutMs: 600_000, idleTimeoutMs: 10_000 });
  const process = await busy.exec(['cat']);
  await clock.advance(10_000);
  expect(await idle.wait()).toBe(137);
  await clock.advance(100_000);
  expect(await busy.poll()).toBeNull();
  await process.closeStdin();
  expect(await process.wait()).toBe(0);
  await clock.advance(10_000);
  expect(await busy.wait()).toBe(137);
});

test('a sandbox with a command of its own lives as long as that', async () => {
  await using modal = await openModal();
  const sandbox = await modal.create({ command: ['sh', '-c', 'exit 3'] });
  expect(await sandbox.wait()).toBe(3);
});

test('sandboxes see neither each other’s files nor each other’s processes nor the host’s variables', async () => {
  process.env['TALARIA_TEST_SECRET'] = 'do-not-tell';
  await using modal = await openModal();
  const [one, two] = [await modal.create({ env: { GIVEN: 'a b' } }), await modal.create()];
  if (modal.double.isolation !== 'namespace') return;
  await run(one, [
    'sh',
    '-c',
    'echo mine >/tmp/file; echo mine >/root/file; mkdir -p /project && echo mine >/project/file',
  ]);
  expect((await run(two, ['sh', '-c', 'cat /tmp/file /root/file /project/file'])).stdout).toBe('');
  const sleeper = await one.exec(['sleep', '4321']);
  expect((await run(two, ['sh', '-c', 'cat /proc/[0-9]*/cmdline'])).stdout).not.toContain('4321');
  expect((await run(one, ['sh', '-c', 'cat /proc/[0-9]*/cmdline'])).stdout).toContain('4321');
  const seen = await run(one, ['sh', '-c', 'env; cat /proc/[0-9]*/environ']);
  expect(seen.stdout).toContain('GIVEN=a b');
  expect(seen.stdout).not.toContain('do-not-tell');
  expect(seen.stdout).not.toContain('MODAL_TOKEN_SECRET');
  await one.terminate();
  expect(await failureOf(sleeper.wait())).toMatchObject({ code: 5 });
});

test('a blocked network leaves only loopback', async () => {
  await using modal = await openModal();
  if (modal.double.isolation !== 'namespace') return;
  const port = new URL(modal.double.serverUrl).port;
  const dial = ['bash', '-c', `: </dev/tcp/127.0.0.1/${port} && echo reached`];
  expect((await run(await modal.create(), dial)).stdout).toBe('reached\n');
  expect((await run(await modal.create({ blockNetwork: true }), dial)).stdout).toBe('');
});

test('in plain folders a sandbox has its own HOME and TMPDIR, and its end reaches processes that left their group', async () => {
  await using modal = await openModal({ isolation: 'folder' });
  expect(modal.double.isolation).toBe('folder');
  const sandbox = await modal.create();
  const folder = modal.double.sandboxes[0]?.folder ?? '';
  expect((await run(sandbox, ['sh', '-c', 'echo $HOME; echo $TMPDIR; pwd'])).stdout).toBe(
    `${folder}/root\n${folder}/tmp\n${folder}/root\n`,
  );
  await run(sandbox, ['sh', '-c', 'setsid sleep 987 >/dev/null 2>&1 &']);
  expect(await commandLines()).toContain('sleep\u0000987');
  await sandbox.terminate();
  expect(await commandLines()).not.toContain('sleep\u0000987');
});

test('wrong credentials are refused, and the SDK passes that on as it came', async () => {
  await using double = await createModalDouble({ token: { id: 'ak-right', secret: 'as-right' } });
  const client = connect(double, { MODAL_TOKEN_SECRET: 'as-wrong' });
  expect(await failureOf(client.apps.fromName('talaria', { createIfMissing: true }))).toMatchObject({ code: 16 });
  expect(double.calls.map((call) => [call.method, call.outcome])).toEqual([['AuthTokenGet', 'UNAUTHENTICATED']]);
});

test('an app that is missing is not found unless it may be created', async () => {
  await using modal = await openModal();
  expect(await failureOf(modal.client.apps.fromName('nothing'))).toMatchObject({ name: 'NotFoundError' });
});

test('disposing ends every process and removes every folder', async () => {
  const modal = await openModal();
  const sandbox = await modal.create();
  await sandbox.exec(['sh', '-c', 'setsid sleep 876 & trap "" TERM; sleep 876']);
  await run(sandbox, ['dd', 'if=/dev/zero', 'of=/tmp/file', 'bs=1M', 'count=2']);
  await sandbox.snapshotFilesystem();
  const folder = modal.double.sandboxes[0]?.folder ?? '';
  await Promise.all([access(folder), access(modal.double.folder)]);
  await modal[Symbol.asyncDispose]();
  await modal[Symbol.asyncDispose]();
  for (const path of [folder, modal.double.folder])
    expect(await failureOf(access(path))).toMatchObject({ name: 'Error' });
  expect(await commandLines()).not.toContain('sleep\u0000876');
});

async function commandLines(): Promise<string> {
  const names = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  return (await Promise.all(names.map((name) => readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')))).join('\n');
}
