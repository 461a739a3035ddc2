import { expect, jest, test } from '@jest/globals';
import { createManualClock } from '@talaria/core/testing';
import { connect, failureOf, openModal, run } from './open-modal.ts';

// Each test starts a server and processes, on machines that may be busy.
jest.setTimeout(60_000);

test('a create that is refused with RESOURCE_EXHAUSTED is the caller’s to repeat', async () => {
  await using modal = await openModal();
  modal.double.inject({ fault: 'status', method: 'SandboxCreateV2', status: 'RESOURCE_EXHAUSTED', times: 2 });
  expect(await failureOf(modal.create())).toMatchObject({ name: 'ClientError', code: 8 });
  expect(await failureOf(modal.create())).toMatchObject({ name: 'ClientError', code: 8 });
  await modal.create();
  expect(outcomes(modal.double.calls, 'SandboxCreateV2')).toEqual(['RESOURCE_EXHAUSTED', 'RESOURCE_EXHAUSTED', 'OK']);
  expect(modal.double.sandboxes).toHaveLength(1);
});

test('where the server says when to come again, the SDK comes again by itself', async () => {
  await using modal = await openModal();
  modal.double.inject({
    fault: 'status',
    method: 'SandboxCreateV2',
    status: 'RESOURCE_EXHAUSTED',
    times: 2,
    retryAfterSeconds: 0.01,
  });
  await modal.create();
  expect(outcomes(modal.double.calls, 'SandboxCreateV2')).toEqual(['RESOURCE_EXHAUSTED', 'RESOURCE_EXHAUSTED', 'OK']);
});

test('the rate of creates can be limited, as the service does', async () => {
  const clock = createManualClock();
  await using modal = await openModal({ clock, createsPerSecond: 2 });
  await modal.create();
  await modal.create();
  expect(await failureOf(modal.create())).toMatchObject({ code: 8 });
  await clock.advance(1000);
  await modal.create();
});

test('a create whose answer was lost makes one sandbox, not two', async () => {
  await using modal = await openModal();
  modal.double.inject({ fault: 'status', method: 'SandboxCreateV2', status: 'UNAVAILABLE', phase: 'after', times: 2 });
  const sandbox = await modal.create();
  expect(outcomes(modal.double.calls, 'SandboxCreateV2')).toEqual(['UNAVAILABLE', 'UNAVAILABLE', 'OK']);
  expect(modal.double.sandboxes.map((one) => one.id)).toEqual([sandbox.sandboxId]);
});

test('a slow create comes late, and one that is never answered can be left', async () => {
  const clock = createManualClock();
  await using modal = await openModal({ clock });
  modal.double.inject({ fault: 'delay', method: 'SandboxCreateV2', delayMs: 90_000 });
  await modal.image.build(modal.app);
  const creation = modal.create();
  await modal.double.whenCalls('SandboxCreateV2', 1);
  expect(modal.double.sandboxes).toHaveLength(0);
  await clock.advance(90_000);
  await creation;
  modal.double.inject({ fault: 'silence', method: 'TaskSnapshotFilesystem' });
  const sandbox = await modal.create();
  expect(await failureOf(sandbox.snapshotFilesystem({ timeoutMs: 50 }))).toMatchObject({ name: 'TimeoutError' });
  await modal.double.whenCalls('TaskSnapshotFilesystem', 1);
});

test('UNAVAILABLE on any call is bridged by the SDK, and does nothing twice', async () => {
  await using modal = await openModal();
  const sandbox = await modal.create();
  const script = 'echo once >>/tmp/count; cat';
  for (const phase of ['before', 'after'] as const) {
    for (const method of ['TaskExecStart', 'TaskExecStdinWrite', 'TaskExecStdinWriteStream', 'SandboxTagsSetV2']) {
      modal.double.inject({ fault: 'status', method, status: 'UNAVAILABLE', phase });
    }
  }
  const result = await run(sandbox, ['sh', '-c', script], Buffer.from('input'));
  expect(result.stdout).toBe('input');
  await sandbox.filesystem.writeText('content', '/tmp/file');
  await sandbox.setTags({ a: 'b' });
  modal.double.clearFaults();
  expect((await run(sandbox, ['cat', '/tmp/count', '/tmp/file'])).stdout).toBe('once\ncontent');
  expect(
    outcomes(modal.double.calls, 'TaskExecStdinWrite').filter((outcome) => outcome === 'UNAVAILABLE'),
  ).toHaveLength(2);
});

test('a stream that is cut goes on where it was cut', async () => {
  await using modal = await openModal();
  const sandbox = await modal.create();
  for (const afterBytes of [0, 1, 70_000, 200_001])
    modal.double.inject({ fault: 'cut', method: 'TaskExecStdioRead', afterBytes });
  const process = await sandbox.exec(['seq', '1', '100000'], { mode: 'text' });
  const expected = Array.from({ length: 100_000 }, (_, index) => `${index + 1}\n`).join('');
  expect((await process.stdout.readText()) === expected).toBe(true);
  expect(outcomes(modal.double.calls, 'TaskExecStdioRead')).toEqual([
    ...Array.from({ length: 4 }, () => 'UNAVAILABLE'),
    'OK',
  ]);
  const offsets = modal.double.calls
    .filter((call) => call.method === 'TaskExecStdioRead')
    .map((call) => call.request['offset']);
  expect(offsets).toEqual([0, 0, 1, 70_001, 270_002]);
});

test('an upload that is cut goes on where it was cut', async () => {
  await using modal = await openModal();
  const sandbox = await modal.create();
  modal.double.inject(
    { fault: 'cut', method: 'TaskExecStdinWriteStream', afterBytes: 300_000 },
    { fault: 'cut', method: 'TaskExecStdinWriteStream', afterBytes: 1 },
  );
  const bytes = Uint8Array.from({ length: 2_000_000 }, (_, index) => (index * 13) & 255);
  await sandbox.filesystem.writeBytes(bytes, '/tmp/file');
  expect(Buffer.from(await sandbox.filesystem.readBytes('/tmp/file')).equals(Buffer.from(bytes))).toBe(true);
  expect(outcomes(modal.double.calls, 'TaskExecStdinWriteStream')).toEqual(['UNAVAILABLE', 'UNAVAILABLE', 'OK']);
});

test('UNAUTHENTICATED once at the router is bridged; a token that ends is replaced', async () => {
  await using modal = await openModal();
  const sandbox = await modal.create();
  for (const method of ['TaskExecStart', 'TaskExecStdioRead', 'TaskExecWait']) {
    modal.double.inject({ fault: 'status', method, status: 'UNAUTHENTICATED' });
  }
  expect((await run(sandbox, ['echo', 'hello'])).stdout).toBe('hello\n');
  expect(outcomes(modal.double.calls, 'SandboxGetCommandRouterAccess')).toEqual([]);

  await using short = await openModal({ routerTokenLifetimeMs: 0 });
  const brief = await short.create();
  expect(await failureOf(brief.exec(['true']))).toMatchObject({ code: 16 });
  expect(outcomes(short.double.calls, 'SandboxGetCommandRouterAccess')).toEqual(['OK']);
});

test('UNAVAILABLE for longer than the SDK bridges is told with code 14', async () => {
  await using modal = await openModal();
  modal.double.inject({ fault: 'status', method: 'AppGetOrCreate', status: 'UNAVAILABLE', times: 4 });
  expect(await failureOf(modal.client.apps.fromName('talaria'))).toMatchObject({ code: 14 });
  expect(outcomes(modal.double.calls, 'AppGetOrCreate').slice(-4)).toEqual(
    Array.from({ length: 4 }, () => 'UNAVAILABLE'),
  );
});

test('a lost sandbox breaks what is pending, and answers NOT_FOUND from then on', async () => {
  await using modal = await openModal();
  const sandbox = await modal.create();
  const process = await sandbox.exec(['sh', '-c', 'echo ready; sleep 765'], { mode: 'binary' });
  const reader = process.stdout.getReader();
  await reader.read();
  const failures = Promise.all([failureOf(reader.read()), failureOf(process.wait())]);
  await modal.double.whenCalls('TaskExecWait', 1);
  await modal.double.lose(sandbox.sandboxId);
  expect(await failures).toEqual([expect.objectContaining({ code: 5 }), expect.objectContaining({ code: 5 })]);
  expect(outcomes(modal.double.calls, 'TaskExecStdioRead')).toEqual(['UNAVAILABLE', 'NOT_FOUND']);
  expect(await failureOf(sandbox.exec(['true']))).toMatchObject({ code: 5 });
  expect(await sandbox.poll()).toBe(1);
});

test('a fault can strike the calls of one sandbox alone', async () => {
  await using modal = await openModal();
  const [one, two] = [await modal.create(), await modal.create()];
  const taskId = modal.double.sandboxes[1]?.taskId ?? '';
  modal.double.inject({
    fault: 'status',
    method: 'TaskExecStart',
    status: 'INVALID_ARGUMENT',
    requestIncludes: taskId,
  });
  expect((await run(one, ['echo', 'fine'])).stdout).toBe('fine\n');
  expect(await failureOf(two.exec(['true']))).toMatchObject({ code: 3 });
});

test('a call that takes longer than a minute is asked for again by the SDK', async () => {
  await using modal = await openModal();
  const sandbox = await modal.create();
  // The deadline of 60 seconds ends as the server sees it: the client cancels. Here the server does that at once.
  modal.double.inject({ fault: 'status', method: 'TaskExecWait', status: 'DEADLINE_EXCEEDED' });
  const process = await sandbox.exec(['true']);
  expect(await process.wait()).toBe(0);
  expect(outcomes(modal.double.calls, 'TaskExecWait')).toEqual(['DEADLINE_EXCEEDED', 'OK']);
});

test('a connection that was idle too long is dialled again, and the command goes on', async () => {
  await using modal = await openModal();
  const client = connect(modal.double, { MODAL_SANDBOX_CHANNEL_IDLE_TIMEOUT: '0.05' });
  try {
    const sandbox = await client.sandboxes.create(modal.app, modal.image);
    const process = await sandbox.exec(['cat'], { mode: 'text' });
    const writer = process.stdin.getWriter();
    const reader = process.stdout.getReader();
    for (const word of ['one', 'two']) {
      await writer.write(word);
      expect((await reader.read()).value).toBe(word);
      // Nothing is pending now, so the SDK lets go of the connection, which cancels the stream.
      await cancelled(modal.double.calls, word === 'one' ? 1 : 2);
    }
    await writer.close();
    expect((await reader.read()).done).toBe(true);
    sandbox.detach();
  } finally {
    delete process.env['MODAL_SANDBOX_CHANNEL_IDLE_TIMEOUT'];
  }
});

type Calls = readonly { readonly method: string; readonly outcome: string }[];

function outcomes(calls: Calls, method: string): string[] {
  return calls.filter((call) => call.method === method).map((call) => call.outcome);
}

async function cancelled(calls: Calls, count: number): Promise<void> {
  while (outcomes(calls, 'TaskExecStdioRead').filter((outcome) => outcome === 'CANCELLED').length < count) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
