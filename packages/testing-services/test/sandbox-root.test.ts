import { once } from 'node:events';
import { closeSync, readFileSync, readlinkSync, writeSync } from 'node:fs';
import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { openSandboxRoot, probeIsolation } from '../src/sandbox-root/open-sandbox-root.ts';
import { openStreamPipes } from '../src/sandbox-root/open-stream-pipes.ts';
import { readAll } from '../src/sandbox-root/root-process.ts';
import type { RootIsolation, SandboxRoot } from '../src/sandbox-root/sandbox-root.ts';

const best = await probeIsolation();
const kinds: readonly RootIsolation[] = best === 'namespace' ? ['namespace', 'folder'] : ['folder'];
const env = { PATH: '/usr/bin:/bin' };

async function run(root: SandboxRoot, script: string): Promise<{ output: string; exitCode: number }> {
  const started = await root.spawn(['/bin/sh', '-c', script], { env, mergeStderr: true });
  started.stdin.end();
  return { output: await readAll(started.stdout), exitCode: await started.exited };
}

describe.each(kinds)('a root that is a %s', (isolation) => {
  test('runs programs with their streams, variables, folder and exit code', async () => {
    await using root = await openSandboxRoot({ isolation, folders: ['/work'] });
    const cwd = root.placeOf('/work');
    const started = await root.spawn(['/bin/sh', '-c', 'pwd; cat >&2; echo "$WORD"; exit 3'], {
      cwd,
      env: { ...env, WORD: 'x' },
    });
    started.stdin.end('input');
    expect(await Promise.all([readAll(started.stdout), readAll(started.stderr), started.exited])).toEqual([
      `${cwd}\nx`,
      'input',
      3,
    ]);
  });

  test('says how a program ended that could not end by itself', async () => {
    await using root = await openSandboxRoot({ isolation });
    expect((await run(root, 'kill -9 $$')).exitCode).toBe(137);
    expect((await run(root, 'exit 137')).exitCode).toBe(137);
    const missing = await root.spawn(['no-such-program'], { env });
    expect(await missing.exited).toBe(127);
  });

  test('keeps what a program wrote that ended before anybody read it', async () => {
    await using root = await openSandboxRoot({ isolation });
    const started = await root.spawn(['/bin/sh', '-c', 'echo said; echo complained >&2; exit 4'], { env });
    expect(await started.exited).toBe(4);
    // Long enough for Node to have dropped it.
    for (let round = 0; round < 10; round += 1) await setImmediate();
    expect(await Promise.all([readAll(started.stdout), readAll(started.stderr)])).toEqual(['said', 'complained']);
  });

  test('starts nothing in a folder that is none', async () => {
    await using root = await openSandboxRoot({ isolation });
    await expect(root.spawn(['true'], { env, cwd: '/no/such/folder' })).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('runs programs on pipes of the caller, which they can open by name even when nobody writes any more', async () => {
    await using root = await openSandboxRoot({ isolation });
    const { ours, theirs } = await openStreamPipes();
    const input = new Socket({ fd: ours[0], readable: false, writable: true });
    const outputs = ours.slice(1).map((fd) => new Socket({ fd, readable: true, writable: false }));
    input.end('given');
    await once(input, 'close');
    const script = 'cat /dev/stdin; echo " end" >/dev/stdout; echo complained >/dev/stderr; exit 6';
    const started = await root.spawnOn(theirs, ['/bin/sh', '-c', script], { env });
    for (const fd of theirs) closeSync(fd);
    expect(await started.exited).toBe(6);
    expect(await Promise.all(outputs.map(readAll))).toEqual(['given end', 'complained']);
  });

  test('signals the whole group, stopped programs too', async () => {
    await using root = await openSandboxRoot({ isolation });
    const started = await root.spawn(['/bin/sh', '-c', 'sleep 100 & echo up; kill -STOP $$; wait'], { env });
    for await (const bytes of started.stdout) {
      if (String(bytes).includes('up')) break;
    }
    await started.signal('SIGKILL');
    expect(await started.exited).toBe(137);
    await started.signal('SIGKILL');
  });

  test('ends what left its group when it stops, keeps the files, and goes on', async () => {
    await using root = await openSandboxRoot({ isolation });
    const home = root.placeOf('/root');
    const daemon = await root.spawn(['/bin/sh', '-c', `setsid sleep 100 & echo kept >${home}/file; exec sleep 100`], {
      env: { ...env, HOME: home },
    });
    while ((await run(root, `cat ${home}/file`)).output !== 'kept') {}
    await root.stop();
    expect(await daemon.exited).toBe(137);
    expect(root.isRunning).toBe(false);
    await expect(root.spawn(['true'], { env })).rejects.toMatchObject({ code: 'ESRCH' });
    expect(await readFile(await root.resolve(`${home}/file`), 'utf8')).toBe('kept\n');
    await root.start();
    expect((await run(root, `cat ${home}/file`)).output).toBe('kept');
  });

  test('can start with the files of another', async () => {
    await using first = await openSandboxRoot({ isolation });
    await writeFile(await first.resolve(first.placeOf('/root/file')), 'copied', { mode: 0o640 });
    await using second = await openSandboxRoot({ isolation, copyOf: first.folder });
    const place = second.placeOf('/root/file');
    expect((await run(second, `cat ${place}; stat -c %a ${place}`)).output).toBe('copied640');
  });

  test('leaves nothing behind', async () => {
    const root = await openSandboxRoot({ isolation });
    await root[Symbol.asyncDispose]();
    await expect(stat(root.folder)).rejects.toMatchObject({ code: 'ENOENT' });
    await root[Symbol.asyncDispose]();
  });
});

test('pipes with names, where a system gives no others, leave none behind', async () => {
  const { ours, theirs } = await openStreamPipes('darwin');
  expect(theirs.map((fd) => readlinkSync(`/proc/self/fd/${fd}`))).toEqual(
    ['in', 'out', 'err'].map((name) => expect.stringMatching(`talaria-pipes-.*/${name} \\(deleted\\)$`)),
  );
  writeSync(ours[0], 'given');
  writeSync(theirs[1], 'said');
  for (const fd of [ours[0], theirs[1]]) closeSync(fd);
  expect([theirs[0], ours[1]].map((fd) => readFileSync(fd, 'utf8'))).toEqual(['given', 'said']);
  for (const fd of [theirs[0], ours[1], ours[2], theirs[2]]) closeSync(fd);
});

test('paths of namespaces never lead out of them', async () => {
  if (best === 'folder') return;
  await using root = await openSandboxRoot({ isolation: 'namespace' });
  await mkdir(`${root.folder}/tmp/deep`);
  await symlink('/etc/hostname', `${root.folder}/tmp/absolute`);
  await symlink('../../../../../../etc/hostname', `${root.folder}/tmp/deep/relative`);
  for (const path of ['/tmp/absolute', '/tmp/deep/relative', '/../../etc/hostname', '/tmp/deep/../absolute']) {
    expect(await readFile(await root.resolve(path), 'utf8')).toBe('sandbox\n');
  }
  expect((await stat(await root.resolve('/usr/bin/env'))).isFile()).toBe(true);
  expect(await root.resolve('/tmp/absolute', { isLink: true })).toMatch(/\/tmp\/absolute$/);
});
