import { expect, jest, test } from '@jest/globals';
import { createManualClock } from '@talaria/core/testing';
import { failureOf, openModal, run } from './open-modal.ts';

// Each test starts a server and processes, on machines that may be busy.
jest.setTimeout(60_000);

test('a layer runs its commands for real, once, and gives its variables and folder', async () => {
  await using modal = await openModal();
  const { client, app, double } = modal;
  const image = client.images
    .fromRegistry('debian:12')
    .dockerfileCommands(['ENV NAME="a b" OTHER=c', 'WORKDIR /srv/app', 'RUN echo "$NAME" >made'])
    .dockerfileCommands(['RUN cat made made >twice']);
  const sandbox = await client.sandboxes.create(app, image);
  expect((await run(sandbox, ['sh', '-c', 'pwd; cat twice; echo $OTHER'])).stdout).toBe('/srv/app\na b\na b\nc\n');
  const joins = (): number => double.calls.filter((call) => call.method === 'ImageJoinStreaming').length;
  expect(joins()).toBe(3);
  const again = client.images
    .fromRegistry('debian:12')
    .dockerfileCommands(['ENV NAME="a b" OTHER=c', 'WORKDIR /srv/app', 'RUN echo "$NAME" >made']);
  await again.build(app);
  expect(joins()).toBe(3);
  sandbox.detach();
});

test('a layer that fails is told as the SDK tells it, and can be tried again', async () => {
  await using modal = await openModal();
  const image = modal.client.images.fromRegistry('debian:12').dockerfileCommands(['RUN echo reason; exit 4']);
  expect((await failureOf(image.build(modal.app))).message).toMatch(
    /^Image build for im-\w+ failed .*\n.*exit status 4/,
  );
});

test.each([
  ['failed', /failed with the exception:\nNo such package/],
  ['terminated', /terminated due to external shut-down/],
  ['timed-out', /timed out/],
] as const)('a build that is %s on demand', async (outcome, message) => {
  await using modal = await openModal();
  modal.double.inject({ fault: 'build', outcome, logLines: ['first', 'second'], message: 'No such package' });
  expect((await failureOf(modal.image.build(modal.app))).message).toMatch(message);
  await modal.image.build(modal.app);
});

test('the log of a build streams through the client’s own call', async () => {
  await using modal = await openModal();
  modal.double.inject({ fault: 'build', logLines: ['first', 'second'] });
  await failureOf(modal.image.build(modal.app));
  const imageId = modal.double.calls.findLast((call) => call.method === 'ImageJoinStreaming')?.request['image_id'];
  const lines: string[] = [];
  for await (const item of modal.client.cpClient.imageJoinStreaming({ imageId: String(imageId), timeout: 1 })) {
    lines.push(...item.taskLogs.map((log) => log.data));
  }
  expect(lines).toEqual(['first\n', 'second\n']);
});

test('a snapshot keeps the files, and a sandbox of it has them', async () => {
  await using modal = await openModal();
  const sandbox = await modal.create();
  const prepare =
    'echo kept >/root/file; mkdir -p /project/a; ln -s ../x /project/a/link; chmod 751 /root/file; mkfifo /project/pipe';
  await run(sandbox, ['sh', '-c', prepare]);
  const snapshot = await sandbox.snapshotFilesystem();
  await run(sandbox, ['sh', '-c', 'echo changed >/root/file']);
  await sandbox.terminate();
  const restored = await modal.client.sandboxes.create(modal.app, snapshot);
  const look = [
    'sh',
    '-c',
    'cat /root/file; readlink /project/a/link; stat -c %a /root/file; [ -p /project/pipe ] && echo pipe',
  ];
  expect((await run(restored, look)).stdout).toBe('kept\n../x\n751\npipe\n');
  restored.detach();
  const byId = await modal.client.images.fromId(snapshot.imageId);
  const layered = byId.dockerfileCommands(['RUN echo more >>/root/file']);
  const grown = await modal.client.sandboxes.create(modal.app, layered);
  expect((await run(grown, ['cat', '/root/file'])).stdout).toBe('kept\nmore\n');
  grown.detach();
});

test('a snapshot expires, and one that is deleted is gone', async () => {
  const clock = createManualClock();
  await using modal = await openModal({ clock });
  const { client, app } = modal;
  const sandbox = await modal.create({ timeoutMs: 3_600_000 });
  const short = await sandbox.snapshotFilesystem({ ttlMs: 60_000 });
  const kept = await sandbox.snapshotFilesystem({ ttlMs: null });
  await clock.advance(60_000);
  expect(await failureOf(client.images.fromId(short.imageId))).toMatchObject({ name: 'NotFoundError' });
  expect(await failureOf(client.sandboxes.create(app, short))).toMatchObject({ code: 5 });
  await client.images.fromId(kept.imageId);
  await client.images.delete(kept.imageId);
  expect(await failureOf(client.images.fromId(kept.imageId))).toMatchObject({ name: 'NotFoundError' });
});

test('secrets reach commands by their names and by value', async () => {
  await using modal = await openModal({ secrets: { stored: { STORED: 'one' } } });
  const { client } = modal;
  const secrets = [await client.secrets.fromName('stored'), await client.secrets.fromObject({ GIVEN: 'two' })];
  const sandbox = await modal.create({ secrets });
  expect((await run(sandbox, ['sh', '-c', 'echo $STORED $GIVEN'])).stdout).toBe('one two\n');
  expect(await failureOf(client.secrets.fromName('none'))).toMatchObject({ name: 'NotFoundError' });
});
