import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Sandbox } from '@daytona/sdk';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeIsolated, type OpenDaytona, openDaytona, readText } from './open-daytona.ts';

let open: OpenDaytona;
let sandbox: Sandbox;

beforeAll(async () => {
  open = await openDaytona();
  sandbox = await open.create();
});

afterAll(async () => {
  await open[Symbol.asyncDispose]();
});

async function run(command: string): Promise<string> {
  return (await sandbox.process.executeCommand(command)).result;
}

describeIsolated('uploads and downloads', () => {
  test('keep every byte, of files of any size', async () => {
    for (const size of [0, 1, 65_536, 5_000_000]) {
      const bytes = randomBytes(size);
      await sandbox.fs.uploadFile(bytes, `/tmp/size-${size}`);
      expect((await sandbox.fs.downloadFile(`/tmp/size-${size}`)).equals(bytes)).toBe(true);
      expect(await run(`sha256sum </tmp/size-${size}`)).toContain(createHash('sha256').update(bytes).digest('hex'));
    }
  });

  test('keep bytes that look like the form around them', async () => {
    const bytes = Buffer.from('\r\n--DAYTONA-FILE-BOUNDARY\r\n\r\n----------------------------\r\n--\r\n');
    await sandbox.fs.uploadFile(bytes, '/tmp/form');
    expect(await run('wc -c </tmp/form')).toBe(`${bytes.length}\n`);
  });

  test('go to any name, whose parents are made', async () => {
    for (const name of ['a b', "it's", '-rf', '$(x)`y`', 'new\nline', 'ünï😀', 'q"uote']) {
      await sandbox.fs.uploadFile(Buffer.from(name), `/tmp/names/deep/${name}`);
    }
    expect(await run('cd /tmp/names/deep; cat -- "ünï😀" "-rf" "q\\"uote"')).toBe('ünï😀-rfq"uote');
  });

  test('come back by a name only where it is ASCII without quotes', async () => {
    await sandbox.fs.uploadFile(Buffer.from('x'), '/tmp/é');
    await sandbox.fs.uploadFile(Buffer.from('x'), '/tmp/q"q');
    await expect(sandbox.fs.downloadFile('/tmp/é')).rejects.toThrow(/Target metadata missing/);
    await expect(sandbox.fs.downloadFile('/tmp/q"q')).rejects.toThrow(/No data received/);
  });

  test('stream', async () => {
    const bytes = randomBytes(3_000_000);
    await sandbox.fs.uploadFileStream(Readable.from([bytes.subarray(0, 10), bytes.subarray(10)]), '/tmp/streamed');
    const parts: Buffer[] = [];
    for await (const part of await sandbox.fs.downloadFileStream('/tmp/streamed')) parts.push(Buffer.from(part));
    expect(Buffer.concat(parts).equals(bytes)).toBe(true);
  });

  test('work with files of the host, many at once', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'talaria-test-'));
    try {
      await writeFile(join(folder, 'up'), 'from the host');
      await sandbox.fs.uploadFiles([
        { source: join(folder, 'up'), destination: '/tmp/many/one' },
        { source: Buffer.from('two'), destination: '/tmp/many/two' },
      ]);
      const results = await sandbox.fs.downloadFiles([
        { source: '/tmp/many/one', destination: join(folder, 'down') },
        { source: '/tmp/many/none' },
        { source: '/tmp/many/two' },
      ]);
      expect(await readFile(join(folder, 'down'), 'utf8')).toBe('from the host');
      expect(results[1]?.errorDetails).toMatchObject({ statusCode: 404, code: 'FILE_NOT_FOUND' });
      expect(String(results[2]?.result)).toBe('two');
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('replace a file at once, through a link', async () => {
    await run('cd /tmp; echo old >target; ln -s target link; exec 3<target');
    await sandbox.fs.uploadFile(Buffer.from('new'), '/tmp/link');
    expect(await run('cd /tmp; cat target; readlink link; ls -A | grep -c daytona-upload')).toBe('newtarget\n0\n');
  });

  test('say what is wrong with a path', async () => {
    await expect(sandbox.fs.downloadFile('/tmp/none')).rejects.toMatchObject({ name: 'DaytonaFileNotFoundError' });
    await expect(sandbox.fs.downloadFile('/tmp')).rejects.toMatchObject({ name: 'DaytonaInvalidFilePathError' });
    await expect(sandbox.fs.downloadFileStream('/tmp/none')).rejects.toMatchObject({ statusCode: 404 });
    for (const path of ['/etc/hostname/x', '/proc/x/y', '/usr/bin/x']) {
      await expect(sandbox.fs.uploadFile(Buffer.from('x'), path)).rejects.toMatchObject({ statusCode: 400 });
    }
  });
});

describeIsolated('paths', () => {
  test('follow links inside the sandbox only', async () => {
    await run('ln -s /etc/hostname /tmp/name; ln -s ../../../../etc/hostname /tmp/up; ln -s loop /tmp/loop');
    expect(await readText(sandbox, '/tmp/name')).toBe('sandbox\n');
    expect(await readText(sandbox, '/tmp/up')).toBe('sandbox\n');
    expect(await readText(sandbox, '/../../etc/hostname')).toBe('sandbox\n');
    await expect(sandbox.fs.downloadFile('/tmp/loop')).rejects.toMatchObject({ statusCode: 400 });
  });

  test('that are relative start at the working folder', async () => {
    await sandbox.fs.uploadFile(Buffer.from('here'), 'relative');
    expect(await run(`cat "$HOME/relative"`)).toBe('here');
    expect(await sandbox.getUserHomeDir()).toBe('/home/daytona');
  });
});

describeIsolated('other file calls', () => {
  test('describe a file and a folder', async () => {
    await run('cd /tmp; echo 12345 >five; chmod 640 five; mkdir -p sub');
    expect(await sandbox.fs.getFileDetails('/tmp/five')).toMatchObject({
      ...{ name: 'five', path: '/tmp/five', size: 6, isDir: false },
      ...{
        mode: '-rw-r-----',
        permissions: '0640',
        owner: String(process.getuid?.()),
        group: String(process.getgid?.()),
      },
    });
    expect(await sandbox.fs.getFileDetails('/tmp/sub')).toMatchObject({ isDir: true, mode: 'drwxr-xr-x' });
    await expect(sandbox.fs.getFileDetails('/tmp/none')).rejects.toMatchObject({ statusCode: 404 });
  });

  test('list a folder, links as links', async () => {
    await run('mkdir -p /tmp/list/inner; cd /tmp/list; echo x >b; ln -s b a; echo y >inner/c');
    const entries = await sandbox.fs.listFiles('/tmp/list');
    expect(entries.map(({ name, isDir, mode }) => [name, isDir, mode[0]])).toEqual([
      ['a', false, 'L'],
      ['b', false, '-'],
      ['inner', true, 'd'],
    ]);
    expect((await sandbox.fs.listFiles('/tmp/list', { depth: 2 })).map(({ path }) => path)).toContain(
      '/tmp/list/inner/c',
    );
  });

  test('make, move and remove', async () => {
    await sandbox.fs.createFolder('/tmp/made/deep', '700');
    expect(await run('stat -c %a /tmp/made/deep')).toBe('700\n');
    await sandbox.fs.moveFiles('/tmp/made', '/tmp/moved');
    await expect(sandbox.fs.deleteFile('/tmp/moved')).rejects.toMatchObject({ statusCode: 400 });
    await sandbox.fs.deleteFile('/tmp/moved', true);
    await expect(sandbox.fs.deleteFile('/tmp/moved')).rejects.toMatchObject({ statusCode: 404 });
  });

  test('set the mode', async () => {
    await run('echo x >/tmp/closed');
    await sandbox.fs.setFilePermissions('/tmp/closed', { mode: '600' });
    expect(await run('stat -c "%a" /tmp/closed')).toBe('600\n');
  });

  (process.getuid?.() === 0 ? test : test.skip)('set the mode and the owner (needs root)', async () => {
    await run('echo x >/tmp/owned');
    await sandbox.fs.setFilePermissions('/tmp/owned', { mode: '600', owner: 'root', group: 'root' });
    expect(await run('stat -c "%a %u %g" /tmp/owned')).toBe('600 0 0\n');
  });

  test('find names and lines, and replace text', async () => {
    await run('mkdir -p /tmp/text; cd /tmp/text; printf "one\\ntwo one\\n" >a.md; echo two >b.txt');
    expect((await sandbox.fs.searchFiles('/tmp/text', '*.md')).files).toEqual(['/tmp/text/a.md']);
    expect((await sandbox.fs.findFiles('/tmp/text', 'one')).map(({ file, line }) => [file, line])).toEqual([
      ['/tmp/text/a.md', 1],
      ['/tmp/text/a.md', 2],
    ]);
    const outcomes = await sandbox.fs.replaceInFiles(['/tmp/text/a.md', '/tmp/text/none'], 'one', '1');
    expect(outcomes.map(({ success }) => success)).toEqual([true, false]);
    expect(await readText(sandbox, '/tmp/text/a.md')).toBe('1\ntwo 1\n');
  });
});
