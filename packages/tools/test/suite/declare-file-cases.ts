import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { OpenPlace, ToolPlace } from './open-place.ts';

async function bytesOf({ sandbox }: ToolPlace, path: string): Promise<Buffer> {
  return Buffer.from((await sandbox.readFile(path)).bytes);
}

/** Declares what `read_file` and `write_file` must do on every backend. */
export function declareFileCases(open: OpenPlace): void {
  test.each<[string, string | Uint8Array, object]>([
    ['an empty file', '', { content: '', total_lines: 0, file_size: 0, truncated: false }],
    [
      'no final newline',
      'a\nb',
      { content: '1|a\n2|b', total_lines: 2, file_size: 3, truncated: false, ends_with_newline: false },
    ],
    [
      'CRLF',
      'a\r\nb\r\n',
      { content: '1|a\n2|b', total_lines: 2, file_size: 6, truncated: false, line_ending: 'crlf' },
    ],
    ['a byte-order mark', '\ufeffa\n', { content: '1|a', total_lines: 1, file_size: 5, truncated: false }],
    [
      'Latin-1',
      Uint8Array.of(0x67, 0x72, 0xf6, 0xdf, 0x0a),
      { content: '1|größ', total_lines: 1, file_size: 5, truncated: false, encoding: 'latin-1' },
    ],
    ['control sequences', '\u001b[1mx\n', { content: '1|\u001b[1mx', total_lines: 1, file_size: 6, truncated: false }],
    [
      'a line of 5,000 characters',
      `${'x'.repeat(5_000)}\n`,
      { content: `1|${'x'.repeat(2_000)}... [truncated]`, total_lines: 1, file_size: 5_001, truncated: false },
    ],
  ])('reads %s', async (_what, content, expected) => {
    await using place = await open();
    await place.sandbox.writeFile('file', content);
    const result = await place.tools.callJson('read_file', { path: 'file' });
    expect(result).toEqual({ ...expected, resolved_path: `${place.folder}/file` });
  });

  test('a file above 8 MiB is read by lines without counting them', async () => {
    await using place = await open();
    await place.sandbox.run(`yes ${'y'.repeat(99)} | head -c 10000000 > big`);
    const path = `${place.folder}/big`;
    expect(await place.tools.callJson('read_file', { path, offset: 50_000, limit: 1 })).toEqual({
      content: `50000|${'y'.repeat(99)}`,
      total_lines: null,
      file_size: 10_000_000,
      truncated: true,
      hint: 'Use offset=50001 to continue reading (showing 50000-50000 of more lines)',
    });
    expect(await place.tools.callJson('read_file', { path, offset: 100_000 })).toMatchObject({ total_lines: 100_000 });
    expect((await place.tools.call('read_file', { path, offset: 100_001 })).errorKind).toBe('invalid_args');
  });

  test.each(['with space', "it's", 'a"b', 'new\nline', '-rf', '$(touch x)', 'ünï', '~', '*', '\\'])(
    'writes, reads and patches a file called %j',
    async (name) => {
      await using place = await open();
      const path = `./${name}`;
      expect(await place.tools.callJson('write_file', { path, content: 'inside\n' })).toMatchObject({ created: true });
      expect(await place.tools.callJson('read_file', { path })).toMatchObject({ content: '1|inside' });
      const args = { path, old_string: 'inside', new_string: 'changed' };
      expect(await place.tools.callJson('patch', args)).toMatchObject({ success: true });
      expect((await place.sandbox.list(place.folder)).map((entry) => entry.name)).toEqual([name]);
      expect(await place.read(name)).toBe('changed\n');
    },
  );

  test('writes byte for byte what it is given', async () => {
    await using place = await open();
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 200 }), async (text) => {
        const content = text.toWellFormed();
        const outcome = await place.tools.call('write_file', { path: 'property.txt', content });
        expect(outcome.isError).toBe(false);
        expect((await bytesOf(place, 'property.txt')).equals(Buffer.from(content))).toBe(true);
        await place.sandbox.remove('property.txt');
      }),
      { numRuns: 10 },
    );
  });

  test('writes more than 64 KiB', async () => {
    await using place = await open();
    const content = Array.from({ length: 20_000 }, (_, index) => `line ${index} äöü\n`).join('');
    await place.tools.callJson('write_file', { path: 'large', content });
    expect(await place.read('large')).toBe(content);
  });

  test('bytes come back as they went in, none, 40 KB and 5 MB of them', async () => {
    await using place = await open();
    for (const size of [0, 40_000, 5_000_000]) {
      const bytes = Buffer.alloc(size);
      for (let at = 0, state = 1; at < size; at += 1) {
        state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
        bytes[at] = state >>> 16;
      }
      await place.sandbox.writeFile('random', bytes);
      expect((await bytesOf(place, 'random')).equals(bytes)).toBe(true);
    }
  });

  test('keeps mode, line ends and byte-order mark, follows links, makes folders', async () => {
    await using place = await open();
    await place.sandbox.run("printf '\\xef\\xbb\\xbfa\\r\\nb\\r\\n' > script; chmod 755 script; ln -s script link");
    await place.tools.callJson('write_file', { path: 'link', content: 'c\nd\n' });
    expect((await bytesOf(place, 'script')).toString('latin1')).toBe('\u00ef\u00bb\u00bfc\r\nd\r\n');
    expect(await place.sandbox.stat('script')).toMatchObject({ mode: 0o755 });
    expect(await place.sandbox.stat('link', { isLink: true })).toMatchObject({ kind: 'symlink' });
    expect(await place.tools.callJson('write_file', { path: 'new/deep/file', content: '' })).toEqual({
      bytes_written: 0,
      dirs_created: true,
      created: true,
      resolved_path: `${place.folder}/new/deep/file`,
    });
  });

  test('a folder that may not be written is an error, and nothing is left', async () => {
    await using place = await open();
    await place.sandbox.run('mkdir locked; chmod 555 locked');
    const isRoot = (await place.sandbox.run('id -u')).output.trim() === '0';
    const outcome = await place.tools.call('write_file', { path: 'locked/file', content: 'x' });
    // The superuser may write anywhere.
    expect(outcome.errorKind).toBe(isRoot ? null : 'permission');
    const below = await place.tools.call('write_file', { path: 'locked/file/below', content: 'x' });
    expect(below.isError).toBe(true);
    expect((await place.sandbox.list('locked')).map(({ name }) => name)).toEqual(isRoot ? ['file'] : []);
  });

  test('the stale guard warns where somebody else changed the file', async () => {
    await using place = await open();
    await place.sandbox.writeFile('file', 'one\n');
    await place.tools.call('read_file', { path: 'file' });
    await place.tools.call('terminal', { command: 'echo other > file' });
    expect(await place.tools.callJson('write_file', { path: 'file', content: 'two\n' })).toHaveProperty('_warning');
    expect(await place.tools.callJson('write_file', { path: 'file', content: '3\n' })).not.toHaveProperty('_warning');
  });

  test('a safe root confines writing and patching, also by links and ..', async () => {
    await using place = await open();
    const safeRoot = `${place.folder}/safe`;
    await place.sandbox.run(
      'mkdir -p safe other/deep; ln -s .. safe/up; ln -s ../other/deep safe/out; echo a > outside',
    );
    await using confined = await open({ settings: { safeRoot } });
    const paths = [
      `${place.folder}/outside`,
      `${safeRoot}/../outside`,
      `${safeRoot}/up/outside`,
      `${safeRoot}/out/../x`,
      `${safeRoot}ly`,
    ];
    for (const path of paths) {
      expect((await confined.tools.call('write_file', { path, content: '' })).errorKind).toBe('permission');
      const patch = { path, old_string: 'a', new_string: 'b' };
      expect((await confined.tools.call('patch', patch)).errorKind).toBe('permission');
    }
    expect(await confined.tools.call('write_file', { path: `${safeRoot}/ok`, content: '' })).toMatchObject({
      isError: false,
    });
    expect(await place.read('outside')).toBe('a\n');
  });

  test('keys in the homes of the machine are not changed where nothing isolates it', async () => {
    await using place = await open();
    const paths = ['/home/nobody-here/.ssh/config', '/etc/../home/nobody-here/.bashrc', '/proc/self/environ'];
    if (place.sandbox.capabilities.isolation === 'none') paths.push('~/.ssh/config', '~/.netrc');
    for (const path of paths) {
      const outcome = await place.tools.call('patch', { path, old_string: 'a', new_string: 'b' });
      if (place.sandbox.capabilities.isolation === 'none')
        expect([path, outcome.errorKind]).toEqual([path, 'permission']);
      else expect(outcome.isError).toBe(true);
    }
  });

  test('devices, pipes and sockets are refused by every tool, by whatever name', async () => {
    await using place = await open();
    await place.sandbox.run('ln -s /dev/zero endless; ln -s endless again; mkfifo pipe; ln -s / root');
    await place.sandbox.run(
      `python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")' 2>/dev/null || mkfifo socket`,
    );
    const paths = ['/dev/zero', 'again', 'root/dev/zero', 'pipe', 'socket'];
    for (const path of paths) {
      for (const [tool, args] of [
        ['read_file', { path }],
        ['search_files', { pattern: 'x', path }],
        ['write_file', { path, content: 'x' }],
        ['patch', { path, old_string: 'a', new_string: 'b' }],
        ['patch', { patch: `*** Update File: ${path}\n-a\n+b` }],
      ] as const) {
        const outcome = await place.tools.call(tool, args);
        expect([path, tool, outcome.isError]).toEqual([path, tool, true]);
        expect(['permission', 'invalid_args']).toContain(outcome.errorKind);
      }
    }
    expect((await place.tools.call('search_files', { pattern: 'x', path: '/proc' })).errorKind).toBe('permission');
    expect((await place.tools.call('search_files', { pattern: 'x', path: 'root/dev' })).errorKind).toBe('permission');
  });

  test('the syntax of what was written is checked where its program is there', async () => {
    await using place = await open();
    const write = async (path: string, content: string): Promise<unknown> =>
      (await place.tools.callJson('write_file', { path, content }))['lint'];
    expect(await write('a.json', '{"a":1}')).toEqual({ status: 'ok' });
    expect(await write('a.json', '{"a":1,}')).toMatchObject({ status: 'error' });
    const hasPython = (await place.sandbox.run('command -v python3')).output !== '';
    expect(await write('a.py', 'def f(:\n')).toMatchObject({ status: hasPython ? 'error' : 'skipped' });
    expect(await write('a.py', 'def g(:\n')).toMatchObject({ status: hasPython ? 'ok' : 'skipped' });
    const names = (await place.sandbox.list(place.folder)).map(({ name }) => name);
    expect(names).toEqual(['a.json', 'a.py']);
  });

  test('a missing file suggests similar ones, a folder is listed, a binary file is told', async () => {
    await using place = await open();
    await place.sandbox.run("touch config.yaml config.yml; mkdir sub; printf 'a\\0b' > data");
    const missing = await place.tools.call('read_file', { path: 'config.json' });
    expect(JSON.parse(missing.content)).toMatchObject({
      error_kind: 'not_found',
      similar_files: [`${place.folder}/config.yaml`, `${place.folder}/config.yml`],
    });
    const folder = await place.tools.call('read_file', { path: place.folder });
    expect(JSON.parse(folder.content)['entries']).toEqual(['config.yaml', 'config.yml', 'data', 'sub/']);
    const binary = await place.tools.call('read_file', { path: 'data' });
    expect(JSON.parse(binary.content)).toMatchObject({ is_binary: true, file_size: 3 });
  });
}
