import { mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { TransferOptions, TransferResult } from '../src/index.ts';
import { createRemoteFiles } from '../src/remote/files/remote-files.ts';
import { writeTarHeader } from '../src/remote/files/tar-header.ts';
import type { ScriptRunner } from '../src/remote/script-runner.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'talaria-hostile-'));
  await writeFile(join(folder, 'victim'), 'untouched');
});

afterEach(async () => {
  expect(await readFile(join(folder, 'victim'), 'utf8')).toBe('untouched');
  const left = (await readdir(folder)).filter((name) => name.startsWith('.talaria-'));
  expect(left).toEqual([]);
  await rm(folder, { recursive: true });
});

/** What a sandbox answers to a download. */
interface Answer {
  readonly archive: Iterable<Buffer>;
  readonly exitCode?: number;
  readonly said?: string;
}

/** A runner whose sandbox answers every download of a folder with bytes of its own. */
function sandboxOf({ archive, exitCode = 0, said = '' }: Answer): ScriptRunner {
  return {
    run: () => Promise.reject(new Error('nothing is run')),
    async start() {
      function* output(): Iterable<Buffer> {
        yield Buffer.from('D 41ed 4096 1000000000 2001-09-09 01:46:40.000000000 +0000\n/root/t\0');
        yield* archive;
      }
      const stdout = Readable.from(output(), { objectMode: false });
      return {
        stdin: null,
        stdout,
        stderr: Readable.from([said], { objectMode: false }),
        exited: Promise.resolve(exitCode),
        close: () => void stdout.destroy(),
        end: async () => void stdout.destroy(),
      };
    },
  };
}

function download(answer: Answer, options: TransferOptions = {}): Promise<TransferResult> {
  const files = createRemoteFiles({
    kind: 'docker',
    scripts: sandboxOf(answer),
    home: '/root',
    currentFolder: () => '/root',
  });
  return files.download('~/t', join(folder, 'out'), options);
}

const plain = { mode: 0o644, sizeBytes: 0, modifiedSeconds: 1_000_000_000 };

function file(name: string, content = 'x'): Buffer {
  const bytes = Buffer.alloc(Math.ceil(content.length / 512) * 512);
  bytes.write(content);
  return Buffer.concat([writeTarHeader({ ...plain, name, kind: 'file', sizeBytes: content.length }), bytes]);
}

function directory(name: string): Buffer {
  return writeTarHeader({ ...plain, name, kind: 'directory', mode: 0o755 });
}

function link(name: string, linkName: string): Buffer {
  return writeTarHeader({ ...plain, name, kind: 'symlink', linkName });
}

/** Changes a header, and makes its checksum right again. */
function changed(header: Buffer, change: (block: Buffer) => void): Buffer {
  const block = Buffer.from(header);
  change(block);
  block.fill(' ', 148, 156);
  const sum = block.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

function hardLink(name: string, target: string): Buffer {
  return changed(link(name, target), (block) => void block.write('1', 156, 'latin1'));
}

const end = Buffer.alloc(1_024);

describe('an archive of a sandbox', () => {
  test.each([
    ['absolute', '/tmp/victim'],
    ['with .. first', '../victim'],
    ['with .. inside', 'a/../../victim'],
    ['with .. alone', '..'],
  ])('cannot name anything outside the target: %s', async (_what, name) => {
    await expect(download({ archive: [directory('.'), file(name), end] })).rejects.toMatchObject({
      code: 'sandbox.failed',
    });
    expect(await readdir(folder)).toEqual(['victim']);
  });

  test.each([
    ['a link and then a file through it', [link('d', '..'), file('d/victim')]],
    ['a link and then a folder of that name', [link('d', '..'), directory('d'), file('d/victim')]],
    ['a file and then a folder of that name', [file('d'), directory('d')]],
    ['a folder and then a link of that name', [directory('d'), link('d', '..')]],
    ['a file and then a link of that name', [file('victim'), link('victim', '../victim')]],
  ])('cannot change what a name is: %s', async (_what, entries) => {
    for (const symlinks of ['preserve', 'follow'] as const) {
      const result = await download({ archive: [directory('.'), ...entries, end] }, { symlinks }).catch(
        (error) => error,
      );
      // Either it is refused, or the link was left out.
      if ('code' in result) expect(result.code).toBe('sandbox.failed');
      else await rm(join(folder, 'out'), { recursive: true });
    }
  });

  test('cannot write through a link that an earlier download has made', async () => {
    await mkdir(join(folder, 'out'));
    await mkdir(join(folder, 'elsewhere'));
    await symlink('../elsewhere', join(folder, 'out/d'));
    await symlink('../victim', join(folder, 'out/f'));
    const archive = [directory('.'), file('f', 'new'), file('d/x'), end];
    await expect(download({ archive })).rejects.toMatchObject({ code: 'sandbox.unsafe-path' });
    expect(await readdir(join(folder, 'elsewhere'))).toEqual([]);
    await download({ archive: [directory('.'), file('f', 'new'), end] });
    expect(await readFile(join(folder, 'out/f'), 'utf8')).toBe('new');
  });

  test('cannot have a hard link to anything but a file that it holds', async () => {
    const names = ['../victim', '/etc/passwd', 'missing', '.', 'later'];
    const archive = [
      directory('.'),
      file('a', 'same'),
      ...names.map((name, index) => hardLink(`h${index}`, name)),
      hardLink('b', './a'),
      file('later'),
      end,
    ];
    const { files, skipped } = await download({ archive });
    expect([files, skipped.length]).toEqual([3, names.length]);
    expect((await readdir(join(folder, 'out'))).sort()).toEqual(['a', 'b', 'later']);
    expect(await readFile(join(folder, 'out/b'), 'utf8')).toBe('same');
    expect((await stat(join(folder, 'out/a'))).nlink).toBe(1);
  });

  test('has links left out that lead out of the tree', async () => {
    const archive = [
      directory('.'),
      directory('a'),
      link('a/up', '../a'),
      link('late', 'a/up/../../../etc'),
      link('out', '../victim'),
      link('absolute', '/etc/passwd'),
      link('home', '/root/t/a'),
      link('none', ''),
      end,
    ];
    const { skipped } = await download({ archive });
    expect(skipped.map(({ path }) => path).sort()).toEqual(['absolute', 'late', 'none', 'out']);
    expect(await readlink(join(folder, 'out/home'))).toBe('a');
  });

  test('is followed only inside the tree, once around a circle, and within the limits', async () => {
    const archive = [
      directory('.'),
      directory('a'),
      file('a/f', 'content'),
      link('a/self', '.'),
      link('b', 'a'),
      link('c', 'b/f'),
      link('d', 'a/../../../victim'),
      link('e', '/root/t/a/f'),
      link('f', '../t/a/f'),
      link('g', 'g'),
      link('h', 'a/f/..'),
      end,
    ];
    const { files, skipped } = await download({ archive }, { symlinks: 'follow' });
    for (const name of ['a/f', 'b/f', 'c', 'e', 'f']) {
      expect(await readFile(join(folder, 'out', name), 'utf8')).toBe('content');
    }
    expect(files).toBe(5);
    expect(skipped.map(({ path }) => path).sort()).toEqual(['a/self', 'b/self', 'd', 'g', 'h']);
  });

  test('cannot grow without bound by links to folders full of links', async () => {
    const levels = Array.from({ length: 12 }, (_, index) => [
      directory(`l${index}`),
      ...Array.from({ length: 8 }, (_entry, number) => link(`l${index}/${number}`, `../l${index + 1}`)),
    ]).flat();
    const archive = [directory('.'), ...levels, directory('l12'), file('l12/f'), end];
    await expect(download({ archive }, { symlinks: 'follow', maxFiles: 500 })).rejects.toMatchObject({
      code: 'sandbox.too-large',
    });
  });

  test('leaves pipes and devices out', async () => {
    const special = ['3', '4', '6', 'V', 'Z'].map((type) =>
      changed(file(`special${type}`).subarray(0, 512), (block) => {
        block.write(type, 156, 'latin1');
        block.write('00000000000', 124, 'latin1');
      }),
    );
    const { files, skipped } = await download({ archive: [directory('.'), ...special, file('fine'), end] });
    expect([files, skipped.length]).toEqual([1, special.length]);
  });

  test.each([
    [
      'bytes',
      { maxBytes: 1_000_000 },
      function* huge() {
        yield directory('.');
        yield changed(file('big').subarray(0, 512), (block) => void block.write('77777777777', 124, 'latin1'));
        for (;;) yield Buffer.alloc(65_536);
      },
    ],
    [
      'files',
      { maxFiles: 1_000 },
      function* many() {
        for (let index = 0; ; index += 1) yield file(`f${index}`, '');
      },
    ],
    [
      'folders',
      { maxFiles: 1_000 },
      function* many() {
        for (let index = 0; ; index += 1) yield directory(`f${index}`);
      },
    ],
    [
      'links',
      { maxFiles: 1_000 },
      function* many() {
        for (let index = 0; ; index += 1) yield link(`f${index}`, '/etc');
      },
    ],
    [
      'hard links',
      { maxBytes: 1_000_000 },
      function* many() {
        yield file('f', 'x'.repeat(10_000));
        for (let index = 0; ; index += 1) yield hardLink(`f${index}`, 'f');
      },
    ],
    [
      'one file again and again',
      { maxBytes: 1_000_000 },
      function* many() {
        for (;;) yield file('f', 'x'.repeat(10_000));
      },
    ],
  ] as const)('is stopped at the limit on %s', async (_what, options, archive) => {
    await expect(download({ archive: archive() }, options)).rejects.toMatchObject({ code: 'sandbox.too-large' });
    expect(await readdir(folder)).toEqual(['victim']);
  });

  test.each([
    [
      'a name of 4 GB',
      changed(file('n').subarray(0, 512), (block) => {
        block.write('L', 156, 'latin1');
        block.write('37777777777', 124, 'latin1');
      }),
    ],
    ['a size below zero', changed(file('n').subarray(0, 512), (block) => void block.fill(0xff, 124, 136))],
    ['a size that is no number', changed(file('n').subarray(0, 512), (block) => void block.write('9z', 124, 'latin1'))],
    ['no checksum', Buffer.alloc(512, 'tar')],
  ])('is refused with %s', async (_what, block) => {
    function* archive(): Iterable<Buffer> {
      yield block;
      for (;;) yield Buffer.alloc(65_536, 'x');
    }
    await expect(download({ archive: archive() })).rejects.toMatchObject({ code: 'sandbox.failed' });
  });

  test('is refused where headers never end, or something comes after its end for ever', async () => {
    function* headers(): Iterable<Buffer> {
      for (;;) yield changed(file('n', 'abc'), (block) => void block.write('L', 156, 'latin1'));
    }
    await expect(download({ archive: headers() })).rejects.toThrow(/too many headers/);
    function* zeros(): Iterable<Buffer> {
      for (;;) yield Buffer.alloc(65_536);
    }
    await expect(download({ archive: zeros() })).rejects.toThrow(/does not end/);
  });

  test('that was cut off is a failure, whatever the exit code', async () => {
    for (const archive of [[], [directory('.')], [directory('.'), file('a').subarray(0, 700)]]) {
      await expect(download({ archive })).rejects.toMatchObject({ code: 'sandbox.failed' });
    }
    const said = 'tar: ./x: Cannot open: Permission denied\ntar: Exiting with failure status due to previous errors\n';
    await expect(download({ archive: [directory('.')], exitCode: 93, said })).rejects.toMatchObject({
      code: 'sandbox.permission',
    });
  });

  test('takes what was removed or changed meanwhile for no failure', async () => {
    const said = [
      'tar: ./a\\nb\\303\\274: File removed before we read it',
      'tar: ./busy: file changed as we read it',
      'tar: ./log: File shrank by 3 bytes; padding with zeros',
      'tar: ./sock: socket ignored',
      'tar: Exiting with failure status due to previous errors',
      '',
    ].join('\n');
    const archive = [directory('.'), file('busy'), file('log', 'abc\0\0\0'), end];
    const { skipped, bytes } = await download({ archive, exitCode: 93, said });
    expect(skipped).toEqual([
      { path: 'a\nbü', reason: 'removed before it was copied' },
      { path: 'sock', reason: 'neither a file, a folder nor a link' },
    ]);
    expect(await readFile(join(folder, 'out/log'), 'utf8')).toBe('abc');
    expect(bytes).toBe(4);
  });

  test('keeps names that are long or odd, and times with a fraction', async () => {
    const long = `${'d/'.repeat(60)}${'é'.repeat(100)}`;
    const header = writeTarHeader({ ...plain, name: long, kind: 'file', modifiedSeconds: 1_234.5 });
    await download({ archive: [header, end] });
    expect((await stat(join(folder, 'out', long))).mtimeMs).toBe(1_234_500);
  });

  test('is unpacked whatever it is made of, and never outside the target', async () => {
    const block = fc.oneof(
      fc
        .constantFrom('a', 'b', 'a/b', '../x', '/x', 'a/../b')
        .chain((name) =>
          fc.constantFrom(file(name), directory(name), link(name, '..'), link(name, 'a'), hardLink(name, 'a')),
        ),
      fc.uint8Array({ minLength: 512, maxLength: 512 }).map((bytes) => Buffer.from(bytes)),
      fc
        .tuple(fc.nat(511), fc.nat(255))
        .map(([at, value]) => changed(file('a'), (bytes) => void bytes.writeUInt8(value, at))),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(block, { maxLength: 8 }),
        fc.constantFrom('preserve', 'follow'),
        async (blocks, symlinks) => {
          await download({ archive: [...blocks, end] }, { symlinks, maxBytes: 1_000_000 }).catch((error) => {
            expect(error.code).toMatch(/^sandbox\./);
          });
          expect((await readdir(folder)).filter((name) => name !== 'out')).toEqual(['victim']);
          await rm(join(folder, 'out'), { recursive: true, force: true });
        },
      ),
      { numRuns: 300 },
    );
  });
});
