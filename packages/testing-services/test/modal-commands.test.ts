import { createHash } from 'node:crypto';
import { expect, jest, test } from '@jest/globals';
import { createManualClock } from '@talaria/core/testing';
import { failureOf, openModal, run } from './open-modal.ts';

// Each test starts a server and processes, on machines that may be busy.
jest.setTimeout(60_000);

test('a command has its own streams, folder, variables and exit code', async () => {
  await using modal = await openModal();
  const sandbox = await modal.create({ env: { A: 'sandbox', B: 'sandbox' }, workdir: '/project/deep' });
  const process = await sandbox.exec(['sh', '-c', 'pwd; echo "$A $B"; echo wrong >&2; exit 7'], {
    mode: 'binary',
    env: { B: 'exec' },
  });
  expect(await process.wait()).toBe(7);
  expect(await process.stdout.readText()).toBe('/project/deep\nsandbox exec\n');
  expect(await process.stderr.readText()).toBe('wrong\n');
  const elsewhere = await sandbox.exec(['pwd'], { workdir: '/tmp' });
  expect(await elsewhere.stdout.readText()).toBe('/tmp\n');
});

test('what cannot be started says so', async () => {
  await using modal = await openModal();
  const sandbox = await modal.create();
  expect((await run(sandbox, ['no-such-program'])).code).toBe(127);
  expect(await failureOf(sandbox.exec(['true'], { workdir: '/no/such/folder' }))).toMatchObject({ code: 3 });
  expect(await failureOf(sandbox.exec(['echo', 'x'.repeat(70_000)]))).toMatchObject({ name: 'InvalidError' });
});

test('a signal is told as 128 and its number', async () => {
  await using modal = await openModal();
  const sandbox = await modal.create();
  expect((await run(sandbox, ['bash', '-c', 'kill -9 $$'])).code).toBe(137);
  expect((await run(sandbox, ['bash', '-c', 'kill -TERM $$'])).code).toBe(143);
});

test('streams can be opened by name, as pipes can', async () => {
  await using modal = await openModal();
  const sandbox = await modal.create();
  const { stdout, stderr } = await run(
    sandbox,
    ['sh', '-c', 'cat /dev/stdin | tee /dev/stderr; echo end >/dev/stdout'],
    Buffer.from('given\n'),
  );
  expect(stdout).toBe('given\nend\n');
  expect(stderr).toBe('given\n');
});

test('standard input can be opened by name after it was closed', async () => {
  await using modal = await openModal();
  const sandbox = await modal.create();
  const late = await sandbox.exec(['sh', '-c', 'until [ -e ~/closed ]; do sleep 0.02; done; cat /dev/stdin']);
  const writer = late.stdin.getWriter();
  await writer.write('given');
  await writer.close();
  expect((await run(sandbox, ['sh', '-c', 'touch ~/closed'])).code).toBe(0);
  expect(await late.stdout.readText()).toBe('given');
  expect(await late.wait()).toBe(0);
});

test('a time limit kills the group, and no more than that', async () => {
  const clock = createManualClock();
  await using modal = await openModal({ clock });
  const sandbox = await modal.create({ timeoutMs: 3_600_000 });
  const script =
    'trap "" TERM; setsid sh -c "sleep 1; echo lived >/tmp/other" & echo ready; sleep 1000 & wait; sleep 1000';
  const process = await sandbox.exec(['sh', '-c', script], { timeoutMs: 600_000 });
  const reader = process.stdout.getReader();
  expect((await reader.read()).value).toBe('ready\n');
  await clock.advance(600_000);
  expect(await process.wait()).toBe(137);
  // The SDK keeps a timer of the time limit until the stream is read to its end; giving it up is not enough.
  expect((await reader.read()).done).toBe(true);
  const look = 'while ! [ -s /tmp/other ]; do sleep 0.05; done; cat /tmp/other /proc/[0-9]*/cmdline';
  const { stdout } = await run(sandbox, ['bash', '-c', look]);
  expect(stdout).toContain('lived');
  expect(stdout).not.toContain('1000');
});

test('a stream ends with its process, though a child holds it, and the child lives on', async () => {
  await using modal = await openModal();
  const sandbox = await modal.create();
  const script = '(while ! [ -e /tmp/go ]; do sleep 0.02; done; echo late && echo alive >/tmp/child) & echo now';
  expect(await run(sandbox, ['sh', '-c', script])).toEqual({ code: 0, stdout: 'now\n', stderr: '' });
  const look = 'touch /tmp/go; while ! [ -s /tmp/child ]; do sleep 0.02; done; cat /tmp/child';
  expect((await run(sandbox, ['sh', '-c', look])).stdout).toBe('alive\n');
});

test('output waits for whoever reads it late, and every reader gets all of it', async () => {
  await using modal = await openModal();
  const sandbox = await modal.create();
  const process = await sandbox.exec(['seq', '1', '200000'], { mode: 'binary' });
  expect(await process.wait()).toBe(0);
  const bytes = await process.stdout.readBytes();
  expect(bytes.length).toBe(1_288_895);
  expect(await process.stderr.readBytes()).toHaveLength(0);
});

test('output that nobody wants is dropped', async () => {
  await using modal = await openModal();
  const sandbox = await modal.create();
  const process = await sandbox.exec(['sh', '-c', 'echo out; echo err >&2'], { stdout: 'ignore' });
  expect(await process.stderr.readText()).toBe('err\n');
  expect(await process.wait()).toBe(0);
});

test('a shell that runs on answers 200 frames, each at once', async () => {
  await using modal = await openModal();
  const sandbox = await modal.create();
  const process = await sandbox.exec(['bash', '-c', 'while read -r line; do printf "%s\\n" "$line"; done'], {
    mode: 'binary',
  });
  const writer = process.stdin.getWriter();
  const reader = process.stdout.getReader();
  for (let frame = 0; frame < 200; frame += 1) {
    await writer.write(Buffer.from(`frame ${frame} é\n`));
    let answer = Buffer.alloc(0);
    while (answer.at(-1) !== 10) answer = Buffer.concat([answer, (await reader.read()).value ?? Buffer.alloc(0)]);
    expect(answer.toString()).toBe(`frame ${frame} é\n`);
  }
  // A second command beside it disturbs neither.
  expect((await run(sandbox, ['echo', 'beside'])).stdout).toBe('beside\n');
  await writer.close();
  expect((await reader.read()).done).toBe(true);
  expect(await process.wait()).toBe(0);
});

test('100 MB go in and out, to the byte, and the double keeps little of it in memory', async () => {
  await using modal = await openModal();
  const sandbox = await modal.create();
  const process = await sandbox.exec(['cat'], { mode: 'binary' });
  const block = Buffer.alloc(1024 * 1024);
  for (let index = 0; index < block.length; index += 1) block[index] = (index * 7 + (index >> 9)) & 255;
  const [sent, received] = [createHash('sha256'), createHash('sha256')];
  let length = 0;
  const send = async (): Promise<void> => {
    const writer = process.stdin.getWriter();
    for (let round = 0; round < 100; round += 1) {
      block.writeUInt32LE(round, 0);
      sent.update(block);
      await writer.write(Uint8Array.from(block));
    }
    await writer.close();
  };
  const receive = async (): Promise<void> => {
    for await (const chunk of process.stdout as AsyncIterable<Uint8Array>) {
      length += chunk.length;
      received.update(chunk);
    }
  };
  await Promise.all([send(), receive()]);
  expect(length).toBe(100 * block.length);
  expect(received.digest('hex')).toBe(sent.digest('hex'));
  expect(await process.wait()).toBe(0);
}, 60_000);

test('a program that reads slowly holds back the writer', async () => {
  await using modal = await openModal();
  const sandbox = await modal.create();
  const process = await sandbox.exec(['sh', '-c', 'while ! [ -e /tmp/go ]; do sleep 0.02; done; wc -c'], {
    mode: 'binary',
  });
  const writer = process.stdin.getWriter();
  let isTaken = false;
  const write = writer.write(new Uint8Array(1024 * 1024)).then(() => {
    isTaken = true;
  });
  await modal.double.whenCalls('TaskExecStdinWrite', 1);
  await run(sandbox, ['true']);
  expect(isTaken).toBe(false);
  await run(sandbox, ['touch', '/tmp/go']);
  await write;
  await writer.close();
  expect(await process.stdout.readText()).toBe('1048576\n');
});

test('a program that ends without reading refuses what is written', async () => {
  await using modal = await openModal();
  const sandbox = await modal.create();
  const process = await sandbox.exec(['true'], { mode: 'binary' });
  await process.wait();
  const writer = process.stdin.getWriter();
  expect(await failureOf(writer.write(new Uint8Array(1024 * 1024)))).toMatchObject({ code: 9 });
  await process.closeStdin();
});

test('64 commands run at once', async () => {
  await using modal = await openModal();
  const sandbox = await modal.create();
  const results = await Promise.all(Array.from({ length: 64 }, (_, index) => run(sandbox, ['echo', String(index)])));
  expect(results.map((result) => result.stdout)).toEqual(results.map((_, index) => `${index}\n`));
}, 90_000);

test('a command gets a terminal when it is asked for', async () => {
  await using modal = await openModal();
  const sandbox = await modal.create();
  const process = await sandbox.exec(['sh', '-c', 'test -t 0 && test -t 1 && stty size; exit 6'], { pty: true });
  expect(await process.stdout.readText()).toBe('24 80\r\n');
  expect(await process.wait()).toBe(6);
});
