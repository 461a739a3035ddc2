import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { isJsonObject } from '@talaria/core';
import type { SandboxHandle } from '@talaria/terminal-backends';
import { createTestDispatcher } from '@talaria/tools/testing';
import fc from 'fast-check';
import { type LocalTools, openLocalTools } from './open-local-sandbox.ts';

let local: LocalTools;
beforeEach(async () => {
  local = await openLocalTools();
});
afterEach(async () => local[Symbol.asyncDispose]());

async function bytesOf(path: string): Promise<Buffer> {
  return Buffer.from((await local.sandbox.readFile(path)).bytes);
}

describe('read_file', () => {
  test.each<[string, string | Uint8Array, object]>([
    ['an empty file', '', { content: '', total_lines: 0, file_size: 0, truncated: false }],
    ['one line', 'a\n', { content: '1|a', total_lines: 1, file_size: 2, truncated: false }],
    [
      'no final newline',
      'a\nb',
      { content: '1|a\n2|b', total_lines: 2, file_size: 3, truncated: false, ends_with_newline: false },
    ],
    ['blank lines', '\n\n', { content: '1|\n2|', total_lines: 2, file_size: 2, truncated: false }],
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
    [
      'UTF-16',
      Buffer.from('\ufeffhé\n', 'utf16le'),
      { content: '1|hé', total_lines: 1, file_size: 8, truncated: false, encoding: 'utf-16le' },
    ],
    ['emoji', '🙂\n', { content: '1|🙂', total_lines: 1, file_size: 5, truncated: false }],
    [
      'control sequences stay',
      '\u001b[1mx\n',
      { content: '1|\u001b[1mx', total_lines: 1, file_size: 6, truncated: false },
    ],
  ])('%s', async (_what, content, expected) => {
    await local.sandbox.writeFile('file', content);
    const result = await local.tools.callJson('read_file', { path: 'file' });
    expect(result).toEqual({ ...expected, resolved_path: `${local.sandbox.cwd}/file` });
  });

  test('a range, with the hint that goes on', async () => {
    await local.sandbox.writeFile('file', Array.from({ length: 10 }, (_, index) => `l${index + 1}\n`).join(''));
    const path = `${local.sandbox.cwd}/file`;
    expect(await local.tools.callJson('read_file', { path, offset: 3, limit: 2 })).toEqual({
      content: '3|l3\n4|l4',
      total_lines: 10,
      file_size: 31,
      truncated: true,
      hint: 'Use offset=5 to continue reading (showing 3-4 of 10 lines)',
    });
    expect(await local.tools.callJson('read_file', { path, offset: 9 })).toMatchObject({
      content: '9|l9\n10|l10',
      truncated: false,
    });
    const beyond = await local.tools.call('read_file', { path, offset: 11 });
    expect(beyond).toMatchObject({ isError: true, errorKind: 'invalid_args' });
    expect(JSON.parse(beyond.content)).toMatchObject({
      total_lines: 10,
      error: expect.stringContaining('Line 11 is beyond the end'),
    });
  });

  test('a long line is cut, and only as many lines as fit are shown', async () => {
    await local.sandbox.writeFile('file', `${'x'.repeat(5_000)}\n`.repeat(200));
    const result = await local.tools.callJson('read_file', { path: 'file' });
    expect(String(result['content']).split('\n')[0]).toBe(`1|${'x'.repeat(2_000)}... [truncated]`);
    expect(String(result['content']).length).toBeLessThanOrEqual(100_000);
    expect(result).toMatchObject({ truncated: true, hint: expect.stringContaining('showing 1-49 of 200 lines') });
  });

  test('a file above 8 MiB is read by lines without counting them', async () => {
    const line = `${'y'.repeat(99)}\n`;
    await local.sandbox.writeFile('big', line.repeat(100_000));
    const middle = await local.tools.callJson('read_file', { path: 'big', offset: 99_999, limit: 1 });
    expect(middle).toMatchObject({
      content: `99999|${'y'.repeat(99)}`,
      total_lines: null,
      truncated: true,
      file_size: 10_000_000,
    });
    expect(await local.tools.callJson('read_file', { path: 'big', offset: 100_000 })).toMatchObject({
      truncated: false,
      total_lines: 100_000,
    });
    expect((await local.tools.call('read_file', { path: 'big', offset: 100_001 })).errorKind).toBe('invalid_args');
  });

  test('a large file that is one single line shows its start only', async () => {
    await local.sandbox.writeFile('line', 'z'.repeat(9_000_000));
    const result = await local.tools.callJson('read_file', { path: 'line' });
    expect(result).toMatchObject({ content: `1|${'z'.repeat(2_000)}... [truncated]`, total_lines: 1 });
  });

  test.each(['with space', "it's", 'a"b', 'new\nline', '-rf', '$(touch x)', 'ünï', '~', '*'])(
    'a file called %p',
    async (name) => {
      await local.tools.callJson('write_file', { path: `./${name}`, content: 'inside\n' });
      expect(await local.tools.callJson('read_file', { path: `./${name}` })).toMatchObject({ content: '1|inside' });
    },
  );

  test('binary files and images are told, not shown', async () => {
    await local.sandbox.writeFile('data', Uint8Array.of(1, 2, 0, 3));
    await local.sandbox.writeFile('picture.png', 'x');
    await local.sandbox.writeFile('drawing.svg', '<svg/>');
    const binary = await local.tools.call('read_file', { path: 'data' });
    expect(JSON.parse(binary.content)).toMatchObject({
      is_binary: true,
      file_size: 4,
      error: expect.stringContaining('4 bytes'),
    });
    const image = await local.tools.call('read_file', { path: 'picture.png' });
    expect(JSON.parse(image.content)).toMatchObject({ is_image: true, error: expect.stringContaining('terminal') });
    expect((await local.tools.call('read_file', { path: 'drawing.svg' })).isError).toBe(false);
  });

  test('a missing file suggests similar ones; a missing folder its nearest ancestor', async () => {
    for (const name of ['config.yaml', 'config.yml', 'Readme.md', 'other'])
      await local.sandbox.writeFile(`d/${name}`, '');
    const missing = await local.tools.call('read_file', { path: 'd/config.json' });
    expect(missing).toMatchObject({ isError: true, errorKind: 'not_found' });
    expect(JSON.parse(missing.content)['similar_files'].slice(0, 2)).toEqual([
      `${local.sandbox.cwd}/d/config.yaml`,
      `${local.sandbox.cwd}/d/config.yml`,
    ]);
    const cased = await local.tools.call('read_file', { path: 'd/README.md' });
    expect(JSON.parse(cased.content)['similar_files'][0]).toBe(`${local.sandbox.cwd}/d/Readme.md`);
    const folder = await local.tools.call('read_file', { path: 'd/x/y/z' });
    expect(JSON.parse(folder.content)['error']).toContain(`but ${local.sandbox.cwd}/d does`);
  });

  test('a folder is listed', async () => {
    await local.sandbox.writeFile('d/file', '');
    await local.sandbox.makeDirectory('d/sub');
    const outcome = await local.tools.call('read_file', { path: 'd' });
    expect(JSON.parse(outcome.content)).toMatchObject({ entries: ['file', 'sub/'], error_kind: 'invalid_args' });
  });

  test.each([
    '/dev/zero',
    '/dev/../dev/urandom',
    '/dev/stdin',
    '/dev/fd/0',
    '/proc/self/fd/1',
    '/proc/1/environ',
    '/proc/self/mem',
  ])('never reads %p', async (path) => {
    expect((await local.tools.call('read_file', { path })).errorKind).toBe('permission');
  });

  test('follows a link to a file, not to a device or a pipe', async () => {
    await local.sandbox.run('echo x > real; ln -s real link; ln -s /dev/zero endless; mkfifo pipe');
    expect(await local.tools.callJson('read_file', { path: 'link' })).toMatchObject({ content: '1|x' });
    expect((await local.tools.call('read_file', { path: 'endless' })).errorKind).toBe('permission');
    expect((await local.tools.call('read_file', { path: 'pipe' })).errorKind).toBe('permission');
  });

  test('no chain of links leads to what must not be read', async () => {
    await local.sandbox.run('ln -s /proc/self/environ first; ln -s first second; ln -s /proc/self folder');
    await local.sandbox.run(`ln -s "$(realpath --relative-to=. /)/proc/self/environ" relative`);
    for (const path of [
      'second',
      'relative',
      'folder/environ',
      '/proc/self/root/proc/1/environ',
      '/proc/1/task/1/mem',
    ]) {
      expect((await local.tools.call('read_file', { path })).errorKind).toBe('permission');
      expect((await local.tools.call('search_files', { pattern: 'x', path })).errorKind).toBe('permission');
    }
  });

  test('a file that grows is read as far as it was', async () => {
    await local.sandbox.writeFile('log', 'one\ntwo\n');
    const { sandbox } = local;
    const growing: SandboxHandle = new Proxy(sandbox, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (name === 'stat') {
          return async (...args: Parameters<SandboxHandle['stat']>) => {
            const stat = await target.stat(...args);
            await target.run('echo more >> log', { isStateless: true });
            return stat;
          };
        }
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    await using tools = createTestDispatcher({ sandbox: growing });
    const result = await tools.callJson('read_file', { path: 'log', limit: 3 });
    expect(result).toMatchObject({ content: expect.stringMatching(/^1\|one\n2\|two/), truncated: true });
  });

  test('large UTF-16 is refused, with the way to read it', async () => {
    await local.sandbox.writeFile('wide', Buffer.from(`\ufeff${'hello\n'.repeat(800_000)}`, 'utf16le'));
    const outcome = await local.tools.call('read_file', { path: 'wide', limit: 1 });
    expect(outcome).toMatchObject({ errorKind: 'too_large', content: expect.stringContaining('iconv') });
  });

  test('one line above 8 MiB of characters of three bytes is UTF-8', async () => {
    await local.sandbox.writeFile('line', '\u20ac'.repeat(2_800_000));
    const result = await local.tools.callJson('read_file', { path: 'line' });
    expect(result).not.toHaveProperty('encoding');
  });

  test('a link to nothing is told as one', async () => {
    await local.sandbox.run('ln -s nowhere link; touch linked');
    const outcome = await local.tools.call('read_file', { path: 'link' });
    expect(JSON.parse(outcome.content)).toMatchObject({
      error: expect.stringContaining('a link to nothing'),
      similar_files: [`${local.sandbox.cwd}/linked`],
    });
  });

  test('follows cd of the terminal', async () => {
    await local.tools.call('terminal', { command: 'mkdir in; cd in; echo here > file' });
    expect(await local.tools.callJson('read_file', { path: 'file' })).toMatchObject({ content: '1|here' });
    expect(await local.tools.callJson('read_file', { path: '~/in/file' })).toMatchObject({ content: '1|here' });
  });

  test('the third same read in a row warns; with the policy block the fourth is refused', async () => {
    await using blocking = await openLocalTools({ settings: { repeatPolicy: 'block' } });
    for (const { tools, sandbox } of [local, blocking]) {
      await sandbox.writeFile('file', 'a\n');
      const read = () => tools.call('read_file', { path: 'file' });
      expect((await read()).content).not.toContain('_warning');
      expect((await read()).content).not.toContain('_warning');
      expect((await read()).content).toContain(
        '"_warning":"You read this region 3 times in a row, and it does not change',
      );
    }
    expect((await local.tools.call('read_file', { path: 'file' })).isError).toBe(false);
    const refused = await blocking.tools.call('read_file', { path: 'file' });
    expect(JSON.parse(refused.content)).toMatchObject({ already_read: 4, error_kind: 'blocked' });
    await blocking.tools.call('todo', {});
    expect((await blocking.tools.call('read_file', { path: 'file' })).isError).toBe(false);
  });
});

test('that a file does not change is only said where it did not', async () => {
  const read = async (): Promise<string> => (await local.tools.call('read_file', { path: 'file' })).content;
  for (const content of ['one\n', 'two\n', 'three\n']) {
    await local.sandbox.writeFile('file', content);
    await read();
  }
  expect(await read()).toMatch(/"_warning":"You read this region 4 times in a row\. Use/);
});

test.each<[string, Uint8Array, boolean]>([
  ['Cyrillic in an old encoding', Uint8Array.of(0xf0, 0xd2, 0xc9, 0xd7, 0xc5, 0xd4, 0x0a), false],
  ['a text of characters of three bytes, cut anywhere', Buffer.from('\u65e5\u672c\u8a9e'.repeat(1_000)), false],
  ['codes that are no characters', Uint8Array.from({ length: 500 }, (_, index) => 0x81 + (index % 0x1e)), true],
  ['control characters', Uint8Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? 0x41 : 0x03)), true],
])('%s: shown as text or told as binary', async (_what, bytes, isBinary) => {
  await local.sandbox.writeFile('file', bytes);
  expect((await local.tools.call('read_file', { path: 'file' })).isError).toBe(isBinary);
});

describe('write_file', () => {
  test('writes byte for byte what it is given', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (content) => {
        const whole = content.toWellFormed();
        const outcome = await local.tools.call('write_file', { path: 'property.txt', content: whole });
        expect(outcome.isError).toBe(false);
        // A new content without CR LF takes over the line ends of the old one: start afresh each time.
        expect((await bytesOf('property.txt')).equals(Buffer.from(whole))).toBe(true);
        await local.sandbox.remove('property.txt');
      }),
      { numRuns: 60 },
    );
  });

  test('says whether file and folder are new', async () => {
    const write = (path: string) => local.tools.callJson('write_file', { path, content: 'ä\n' });
    expect(await write('a/b/file')).toMatchObject({ bytes_written: 3, dirs_created: true, created: true });
    expect(await write('a/b/file')).toMatchObject({ dirs_created: false, created: false });
    expect(await write('a/b/other')).toMatchObject({ dirs_created: false, created: true });
  });

  test('keeps mode, line ends and byte-order mark of the file it replaces, and follows links', async () => {
    await local.sandbox.run("printf '\\xef\\xbb\\xbfa\\r\\nb\\r\\n' > script; chmod 755 script; ln -s script link");
    await local.tools.callJson('write_file', { path: 'link', content: 'c\nd\n' });
    expect((await bytesOf('script')).toString('latin1')).toBe('\u00ef\u00bb\u00bfc\r\nd\r\n');
    expect(await local.sandbox.stat('script')).toMatchObject({ mode: 0o755 });
    expect(await local.sandbox.stat('link', { isLink: true })).toMatchObject({ kind: 'symlink' });
  });

  test('warns where the file changed since it was read, and only then', async () => {
    await local.sandbox.writeFile('file', 'one\n');
    await local.tools.call('read_file', { path: 'file' });
    expect(await local.tools.callJson('write_file', { path: 'file', content: 'two\n' })).not.toHaveProperty('_warning');
    await local.sandbox.writeFile('file', 'somebody else\n');
    expect(await local.tools.callJson('write_file', { path: 'file', content: 'three\n' })).toHaveProperty('_warning');
    expect(await local.tools.callJson('write_file', { path: 'file', content: 'four\n' })).not.toHaveProperty(
      '_warning',
    );
  });

  test('content is required, and may be empty', async () => {
    expect((await local.tools.call('write_file', { path: 'file' })).errorKind).toBe('invalid_args');
    expect(await local.sandbox.stat('file')).toBeNull();
    expect(await local.tools.callJson('write_file', { path: 'file', content: '' })).toMatchObject({ bytes_written: 0 });
  });

  test('more than 5 MB is refused before anything is written', async () => {
    const outcome = await local.tools.call('write_file', { path: 'folder/file', content: 'x'.repeat(5_242_881) });
    expect(outcome.errorKind).toBe('too_large');
    expect(await local.sandbox.stat('folder')).toBeNull();
  });

  test.each([
    '~/.ssh/authorized_keys',
    '~/.bashrc',
    '~/.aws/x',
    '~/a/../.netrc',
    '/etc/passwd',
    '/etc/sudoers.d/x',
    '/etc/systemd/system/x',
  ])('never writes %p, where nothing isolates the machine', async (path) => {
    expect((await local.tools.call('write_file', { path, content: 'x' })).errorKind).toBe('permission');
    expect((await local.tools.call('patch', { patch: `*** Add File: ${path}\n+x` })).errorKind).toBe('permission');
  });

  test('a link does not lead around it', async () => {
    await local.sandbox.run('mkdir .ssh; ln -s .ssh keys; ln -s .bashrc rc');
    expect((await local.tools.call('write_file', { path: 'keys/id', content: 'x' })).errorKind).toBe('permission');
    expect((await local.tools.call('write_file', { path: 'rc', content: 'x' })).errorKind).toBe('permission');
  });

  test('a safe root confines writing, also by links and ..', async () => {
    const safeRoot = `${local.sandbox.home}/safe`;
    await local.sandbox.run('mkdir safe; ln -s .. safe/up');
    await using tools = createTestDispatcher({ sandbox: local.sandbox, settings: { safeRoot } });
    expect((await tools.call('write_file', { path: 'safe/ok', content: '' })).isError).toBe(false);
    for (const path of ['outside', 'safe/../outside', 'safe/up/outside', 'safely']) {
      expect((await tools.call('write_file', { path, content: '' })).errorKind).toBe('permission');
    }
  });

  test('a folder in the way, and a folder that may not be written', async () => {
    await local.sandbox.makeDirectory('d');
    expect((await local.tools.call('write_file', { path: 'd', content: '' })).errorKind).toBe('invalid_args');
    await local.sandbox.writeFile('f', '');
    expect((await local.tools.call('write_file', { path: 'f/x', content: '' })).isError).toBe(true);
  });

  test.each<[string, string, string | undefined]>([
    ['a.json', '{"a":1}', 'ok'],
    ['a.json', '{"a":1,}', 'error'],
    ['tsconfig.build.json', '{\n// why\n"a": "// no comment", /* b */\n}', 'ok'],
    ['a.jsonc', '[1, 2,] // x', 'ok'],
    ['a.jsonc', '[1, 2', 'error'],
    ['a.yaml', 'a: 1\n---\nb: [1, 2]\n', 'ok'],
    ['a.yml', 'a: [1, 2\n', 'error'],
    ['a.yaml', 'a: 1\n---\nb: "x\n', 'error'],
    ['a.toml', 'a = 1\n[b]\n', 'ok'],
    ['a.toml', 'a = \n', 'error'],
    ['a.py', 'def f():\n    return 1\n', 'ok'],
    ['a.py', 'def f(:\n', 'error'],
    ['a.mjs', 'import x from "y";\n', 'ok'],
    ['a.mjs', 'import x from;\n', 'error'],
    ['a.cjs', 'import x from "y";\n', 'error'],
    ['a.ts', 'let x: = 1', undefined],
    ['a.txt', '{', undefined],
    ['a.jsonc', '/*'.repeat(200_000), 'error'],
    ['a.json', ' '.repeat(1_000_001), 'skipped'],
    ['a.py', `x = ${'('.repeat(190)}1${')'.repeat(190)}\n`, 'ok'],
    ['a.py', `x = ${'-'.repeat(100_000)}1\n`, 'skipped'],
    ['a.py', `x = a${'.b'.repeat(100_000)}\n`, 'skipped'],
    ['a.mjs', `x = ${'['.repeat(200_000)}`, 'skipped'],
    ['a.json', '['.repeat(500_000), 'error'],
    ['a.toml', `a = ${'['.repeat(100_000)}`, 'skipped'],
    ['a.yaml', '['.repeat(50_000), 'skipped'],
    ['a.yaml', `a: ${'[{b: '.repeat(300)}`, 'skipped'],
    ['a.yaml', '- [1, {a: [2]}]\n'.repeat(1_000), 'ok'],
  ])('checks the syntax of %p, case %#', async (path, content, status) => {
    const result = await local.tools.callJson('write_file', { path, content });
    expect(isJsonObject(result['lint']) ? result['lint']['status'] : undefined).toBe(status);
    const names = (await local.sandbox.list('.')).map(({ name }) => name);
    expect(names.filter((name) => name.includes('talaria-check') || name === '__pycache__')).toEqual([]);
  });

  test('large YAML is not checked: its parser takes for ever', async () => {
    const content = Array.from({ length: 60_000 }, (_, index) => `key${index}: value`).join('\n');
    expect(await local.tools.callJson('write_file', { path: 'large.yaml', content })).toMatchObject({
      lint: { status: 'skipped' },
    });
  });

  test('a fault of JavaScript comes without the stack of the program that found it', async () => {
    const result = await local.tools.callJson('write_file', { path: 'a.js', content: 'let a = ;\n' });
    const text = JSON.stringify(result['lint']);
    expect(text).toContain('SyntaxError');
    expect(text).not.toMatch(/node:internal|Node\.js v/);
  });

  test('a pipe is not written, and called what it is', async () => {
    await local.sandbox.run('mkfifo pipe');
    for (const [tool, args] of [
      ['write_file', { path: 'pipe', content: 'x' }],
      ['patch', { path: 'pipe', old_string: 'a', new_string: 'b' }],
    ] as const) {
      expect((await local.tools.call(tool, args)).content).toContain('is a device, pipe or socket, not a file');
    }
  });

  test('a fault that was there before is no error of the edit', async () => {
    await local.sandbox.writeFile('a.py', 'def f(:\n');
    const result = await local.tools.callJson('write_file', { path: 'a.py', content: 'def g(:\n' });
    expect(result['lint']).toMatchObject({ status: 'ok', message: expect.stringContaining('before') });
  });

  test('checking can be turned off, and is skipped where its program is missing', async () => {
    await using off = await openLocalTools({ settings: { lint: false } });
    expect(await off.tools.callJson('write_file', { path: 'a.json', content: '{' })).not.toHaveProperty('lint');
    await using bare = await openLocalTools({ hiddenPrograms: ['python3', 'node'] });
    const lintOf = async (path: string) => (await bare.tools.callJson('write_file', { path, content: '(' }))['lint'];
    expect(await lintOf('a.py')).toEqual({ status: 'skipped', message: 'python3 is not available here' });
    expect(await lintOf('a.mjs')).toEqual({ status: 'skipped', message: 'node is not available here' });
    expect(await lintOf('a.json')).toMatchObject({ status: 'error' });
  });
});
