import { randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createUpstreamToolContext, type ToolContext } from '@talaria/tool-context';
import { type LocalContext, openLocalContext } from './open-local.ts';

let local: LocalContext;
beforeAll(async () => {
  local = await openLocalContext();
});
afterAll(async () => {
  await local[Symbol.asyncDispose]();
});

const hostileNames = [
  'with spaces.txt',
  `quo'te"s`,
  '$(touch pwned)',
  '`touch pwned`; touch pwned',
  'new\nline',
  '-leading-dash',
  'ünï💡',
  '*?[a]',
  '~',
  'back\\slash',
];
const kib = 1_024;
const sizes = [0, 1, 37 * kib, 40 * kib, 100 * kib, 50 * kib * kib];

describe('commands', () => {
  test('give their output untouched, standard error merged, and their status', async () => {
    const outcome = await local.context.terminal(`printf '  a\\033[31m\\n'; printf 'b\\n\\n' >&2; exit 3`);
    expect(outcome).toEqual({ output: '  a\u001B[31m\nb\n\n', exitCode: 3, isTimedOut: false, isTruncated: false });
  });

  test('of more than 50,000 characters come whole', async () => {
    const outcome = await local.context.terminal('seq 1 100000');
    expect(outcome.output.split('\n')).toHaveLength(100_001);
    expect(outcome.isTruncated).toBe(false);
  });

  test('beyond the limit say so', async () => {
    const outcome = await local.context.terminal('seq 1 100000', { maxOutputBytes: 1_000 });
    expect(outcome.isTruncated).toBe(true);
    expect(outcome.output.length).toBeLessThan(2_000);
  });

  test('start in the folder that the last one left, with variables and standard input of their own', async () => {
    const { context } = local;
    await context.terminal('mkdir -p deep && cd deep');
    expect((await context.terminal('basename "$PWD"')).output).toBe('deep\n');
    await context.terminal('cd ..');
    const outcome = await context.terminal('cat; echo "$A"', { stdin: 'in ', env: { A: 'x y' } });
    expect(outcome.output).toBe('in x y\n');
    expect((await context.terminal('echo "[$A]"')).output).toBe('[]\n');
  });

  test('with exact arguments see no shell', async () => {
    const words = ['printf', '%s|', ...hostileNames];
    const outcome = await local.context.exec(words);
    expect(outcome).toMatchObject({ exitCode: 0, stderr: '', stdout: hostileNames.map((name) => `${name}|`).join('') });
  });

  test('out of time are killed with all their children', async () => {
    const { context } = local;
    const outcome = await context.terminal('echo begun; (trap "" TERM; sleep 987654) & wait', { timeoutMs: 200 });
    expect(outcome).toMatchObject({ output: 'begun\n', exitCode: 124, isTimedOut: true });
    expect((await context.exec(['pgrep', '-f', '^sleep 987654'])).stdout).toBe('');
  });
});

describe('files', () => {
  test.each(hostileNames)('named %j keep every byte', async (name) => {
    const { context } = local;
    const path = `hostile/${name}`;
    const bytes = randomBytes(999);
    await context.writeFile(path, bytes);
    expect(Buffer.from((await context.readBytes(path)).bytes).equals(bytes)).toBe(true);
    expect(await context.exists(path)).toBe(true);
    expect(await context.exists('hostile/pwned')).toBe(false);
    expect(await context.exists('pwned')).toBe(false);
  });

  test('that are empty are there', async () => {
    const { context } = local;
    await context.writeFile('empty', '');
    expect(await context.readText('empty')).toBe('');
    expect(await context.exists('empty')).toBe(true);
    expect(await context.stat('empty')).toMatchObject({ kind: 'file', sizeBytes: 0 });
  });

  test('that are not there are no empty files', async () => {
    const { context } = local;
    expect(await context.exists('nothing')).toBe(false);
    expect(await context.stat('nothing')).toBeNull();
    await expect(context.readText('nothing')).rejects.toMatchObject({ code: 'sandbox.not-found' });
  });

  test('of the model are read as they are: no numbers, no cut lines', async () => {
    const { context } = local;
    const text = `${'x'.repeat(5_000)}\r\n${'line\n'.repeat(3_000)}`;
    await context.writeFile('long', text);
    expect(await context.readText('long')).toBe(text);
    const part = await context.readBytes('long', { maxBytes: 10 });
    expect(part).toMatchObject({ sizeBytes: text.length, isTruncated: true });
  });
});

describe('transfers of one file', () => {
  test.each(sizes)('%d bytes arrive and come back as they were', async (size) => {
    const { context, folder } = local;
    const bytes = randomBytes(size);
    const from = join(folder, `up-${size}`);
    const back = join(folder, 'made', `down-${size}`);
    await writeFile(from, bytes);
    const up = await context.uploadFile(from, `in/${size}.bin`);
    const down = await context.downloadFile(`in/${size}.bin`, back);
    expect(up).toEqual({ bytes: size, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(down).toEqual(up);
    expect((await readFile(back)).equals(bytes)).toBe(true);
  });

  test.each(hostileNames)('named %j', async (name) => {
    const { context, folder } = local;
    const bytes = randomBytes(123);
    const from = join(folder, name);
    await writeFile(from, bytes);
    await context.uploadFile(from, `hostile-transfer/${name}`);
    await context.downloadFile(`hostile-transfer/${name}`, join(folder, 'back', name));
    expect((await readFile(join(folder, 'back', name))).equals(bytes)).toBe(true);
    expect(await context.exists('pwned')).toBe(false);
  });

  test('keep the permission bits', async () => {
    const { context, folder } = local;
    const from = join(folder, 'script.sh');
    await writeFile(from, '#!/bin/sh\necho ran\n');
    await chmod(from, 0o755);
    await context.uploadFile(from, 'script.sh');
    expect((await context.terminal('./script.sh')).output).toBe('ran\n');
    await context.downloadFile('script.sh', join(folder, 'script-back.sh'));
    expect((await stat(join(folder, 'script-back.sh'))).mode & 0o777).toBe(0o755);
  });

  test('follow a link to a file, both ways', async () => {
    const { context, folder } = local;
    await writeFile(join(folder, 'real'), 'real');
    await symlink('real', join(folder, 'link'));
    expect(await context.uploadFile(join(folder, 'link'), 'linked/copy')).toMatchObject({ bytes: 4 });
    await context.terminal('ln -s copy linked/link');
    expect(await context.downloadFile('linked/link', join(folder, 'link-back'))).toMatchObject({ bytes: 4 });
    expect((await lstat(join(folder, 'link-back'))).isFile()).toBe(true);
  });

  test.each([1, 3, 10, 30, 100])(
    'aborted after %d rounds of the event loop leave nothing half done',
    async (rounds) => {
      await using other = await openLocalContext();
      const { folder, context } = other;
      const big = join(folder, 'big');
      await writeFile(big, Buffer.alloc(50 * kib * kib, 7));
      const moves = [
        (it: ToolContext) => it.uploadFile(big, 'half/big'),
        (it: ToolContext) => it.downloadFile(big, join(folder, 'half', 'big')),
      ];
      for (const move of moves) {
        const controller = new AbortController();
        const reason = new Error('stop');
        const moving = move(other.contextWith(controller.signal)).catch((error: unknown) => error);
        for (let round = 0; round < rounds; round += 1) await new Promise((resolve) => setImmediate(resolve));
        controller.abort(reason);
        const outcome = await moving;
        if (outcome === reason) continue;
        expect(outcome).toMatchObject({ bytes: 50 * kib * kib });
        await context.terminal('rm -f half/big');
        await rm(join(folder, 'half', 'big'), { force: true });
      }
      expect((await context.terminal('ls -A half 2>/dev/null')).output).toBe('');
      expect(await readdir(join(folder, 'half')).catch(() => [])).toEqual([]);
    },
  );

  test('do not mix when they run at the same time', async () => {
    const { context, folder } = local;
    const files = Array.from({ length: 12 }, (_, index) => ({ name: `many-${index}`, bytes: randomBytes(70_000) }));
    await Promise.all(files.map(({ name, bytes }) => writeFile(join(folder, name), bytes)));
    await Promise.all(files.map(({ name }) => context.uploadFile(join(folder, name), `many/${name}`)));
    await Promise.all(files.map(({ name }) => context.downloadFile(`many/${name}`, join(folder, 'many-back', name))));
    for (const { name, bytes } of files) {
      expect((await readFile(join(folder, 'many-back', name))).equals(bytes)).toBe(true);
    }
  });

  test.each<[string, () => Promise<unknown>, string]>([
    ['a missing file', () => local.context.downloadFile('nowhere', join(local.folder, 'x')), 'sandbox.not-found'],
    [
      'a file where the folder of the host was to be',
      async () => {
        await local.context.writeFile('small', 'x');
        await local.context.downloadFile('small', join(local.folder, 'small'));
        return local.context.downloadFile('small', join(local.folder, 'small', 'below', 'x'));
      },
      'sandbox.not-directory',
    ],
    ['a folder as a file', () => local.context.downloadFile('/', join(local.folder, 'x')), 'sandbox.is-directory'],
    [
      'a file as a folder',
      () => local.context.downloadFolder('/etc/passwd', join(local.folder, 'x')),
      'sandbox.not-directory',
    ],
    ['onto a folder', () => local.context.uploadFile('/etc/passwd', '.'), 'sandbox.is-directory'],
  ])('%s is refused by name', async (_case, act, code) => {
    await expect(act()).rejects.toMatchObject({ code, phase: 'transfer' });
  });
});

describe('transfers of a folder', () => {
  test('keep files, modes, links inside and empty folders, and leave out links that lead outside', async () => {
    const { context, folder } = local;
    const tree = join(folder, 'tree');
    await mkdir(join(tree, 'a', 'empty'), { recursive: true });
    await writeFile(join(tree, 'a', 'run.sh'), 'x', { mode: 0o755 });
    await writeFile(join(tree, 'new\nline -n $(x)'), 'y');
    await symlink('a/run.sh', join(tree, 'inside'));
    await symlink('/etc/passwd', join(tree, 'outside'));
    const up = await context.uploadFolder(tree, 'tree');
    expect(up).toMatchObject({ files: expect.any(Number), bytes: 2, skipped: [{ path: 'outside' }] });
    const back = join(folder, 'tree-back');
    const down = await context.downloadFolder('tree', back);
    expect(down).toMatchObject({ bytes: 2, skipped: [] });
    expect((await readdir(back)).sort()).toEqual(['a', 'inside', 'new\nline -n $(x)']);
    expect(await readdir(join(back, 'a', 'empty'))).toEqual([]);
    expect((await stat(join(back, 'a', 'run.sh'))).mode & 0o777).toBe(0o755);
    expect(await readlink(join(back, 'inside'))).toBe('a/run.sh');
    expect(await readFile(join(back, 'new\nline -n $(x)'), 'utf8')).toBe('y');
  });

  test('never bring a link of the model that leads outside', async () => {
    const { context, folder } = local;
    await context.terminal(
      'mkdir evil && ln -s /etc evil/etc && ln -s ../../../../etc/passwd evil/up && echo ok > evil/ok',
    );
    const target = join(folder, 'evil');
    const down = await context.downloadFolder('evil', target);
    expect(down.skipped.map((entry) => entry.path).sort()).toEqual(['etc', 'up']);
    expect(await readdir(target)).toEqual(['ok']);
    expect((await lstat(join(target, 'ok'))).isFile()).toBe(true);
  });

  test('work for an empty folder', async () => {
    const { context, folder } = local;
    await mkdir(join(folder, 'nothing'));
    expect(await context.uploadFolder(join(folder, 'nothing'), 'nothing-there')).toEqual({
      files: 0,
      bytes: 0,
      skipped: [],
    });
    expect(await context.downloadFolder('nothing-there', join(folder, 'nothing-back'))).toMatchObject({ files: 0 });
    expect(await readdir(join(folder, 'nothing-back'))).toEqual([]);
  });
});

describe('search', () => {
  beforeAll(async () => {
    await local.context.terminal('mkdir -p find/sub');
    await local.context.writeFile('find/a:12:b.txt', 'one\nneedle 1\n');
    await local.context.writeFile('find/sub/new\nline', '-needle\n');
    await local.context.writeFile('find/binary', new Uint8Array([0, 1, 110, 101, 101, 100, 108, 101]));
  });

  test('finds lines by path and number, whatever the names', async () => {
    const { context, sandbox } = local;
    const home = sandbox.cwd;
    const found = await context.search('needle', { path: 'find' });
    expect([...found].sort((left, right) => left.line - right.line)).toEqual([
      { path: `${home}/find/sub/new\nline`, line: 1, content: '-needle' },
      { path: `${home}/find/a:12:b.txt`, line: 2, content: 'needle 1' },
    ]);
    expect(await context.search('needle', { path: 'find', limit: 1 })).toHaveLength(1);
  });

  test('keeps carriage returns and odd line separators within a line', async () => {
    await local.context.writeFile('crlf', 'hit 1\r\nhit\u2028 2\r\n');
    const found = await local.context.search('hit', { path: 'crlf' });
    expect(found.map((match) => match.content)).toEqual(['hit 1\r', 'hit\u2028 2\r']);
  });

  test('takes a pattern that looks like an option, and finds nothing where nothing is', async () => {
    expect(await local.context.search('-needle', { path: 'find' })).toHaveLength(1);
    expect(await local.context.search('absent', { path: 'find' })).toEqual([]);
  });

  test('says what is wrong with a bad pattern or path', async () => {
    await expect(local.context.search('a(', { path: 'find' })).rejects.toMatchObject({ code: 'task.invalid-search' });
    await expect(local.context.search('a', { path: 'absent' })).rejects.toMatchObject({ code: 'sandbox.not-found' });
  });

  test('reads the usual dialect, as the tool does, and refuses what grep would read otherwise', async () => {
    await local.context.writeFile('dialect', "item 12\nItem x\ndon't\n");
    const linesOf = async (pattern: string): Promise<readonly number[]> =>
      (await local.context.search(pattern, { path: 'dialect' })).map(({ line }) => line);
    expect(await linesOf('item\\s\\d+?$')).toEqual([1]);
    expect(await linesOf('(?i)^(?:item)')).toEqual([1, 2]);
    expect(await linesOf("don\\'t")).toEqual([3]);
    for (const pattern of ['(?=item)', '\\<item', 'item\nx', 'a\0b']) {
      await expect(linesOf(pattern)).rejects.toMatchObject({ code: 'task.invalid-search' });
    }
  });

  test('a pipe is not waited for', async () => {
    await local.context.terminal('mkfifo pipe');
    await expect(local.context.search('x', { path: 'pipe' })).rejects.toMatchObject({ code: 'sandbox.not-found' });
  });

  test('more matches than can be read are no answer', async () => {
    await local.context.terminal('yes needle | head -n 2000000 > many-needles');
    const all = local.context.search('needle', { path: 'many-needles', limit: 2_000_000 });
    await expect(all).rejects.toMatchObject({ code: 'sandbox.too-large' });
    expect(await local.context.search('needle', { path: 'many-needles', limit: 10 })).toHaveLength(10);
  });
});

describe("upstream's dictionaries", () => {
  const upstream = () => createUpstreamToolContext(local.context);

  test('of commands', async () => {
    expect(await upstream().terminal('echo hi; exit 2')).toEqual({ output: 'hi\n', exit_code: 2, error: null });
    expect(await upstream().terminal('sleep 60', 0.2)).toEqual({
      output: '',
      exit_code: 124,
      error: 'Command timed out after 0.2 seconds',
    });
  });

  test('of files', async () => {
    expect(await upstream().write_file('up/new/f', 'ä')).toEqual({ bytes_written: 2, dirs_created: true });
    expect(await upstream().write_file('up/new/f', '')).toEqual({ bytes_written: 0, dirs_created: false });
    expect(await upstream().write_file('/etc/passwd/x', '')).toMatchObject({
      bytes_written: 0,
      error: expect.any(String),
    });
    expect(await upstream().read_file('x')).toEqual({
      content: '     1|a',
      total_lines: 1,
      file_size: 2,
      truncated: false,
      is_binary: false,
      is_image: false,
    });
  });

  test('of transfers', async () => {
    const { folder } = local;
    await mkdir(join(folder, 'u', 'sub'), { recursive: true });
    await writeFile(join(folder, 'u', 'a'), 'aa');
    await writeFile(join(folder, 'u', 'sub', 'b'), '');
    const ok = { output: '', exit_code: 0 };
    expect(await upstream().upload_file(join(folder, 'u', 'a'), 'u-one')).toEqual(ok);
    expect(await upstream().upload_dir(join(folder, 'u'), 'u-all')).toEqual([ok, ok]);
    expect(await upstream().download_file('u-one', join(folder, 'u-one'))).toEqual({ success: true, bytes: 2 });
    expect(await upstream().download_dir('u-all', join(folder, 'u-back'))).toEqual([
      { success: true, bytes: 2 },
      { success: true, bytes: 0 },
    ]);
    expect(await readFile(join(folder, 'u-back', 'a'), 'utf8')).toBe('aa');
    expect(await upstream().upload_file('/no/such', 'x')).toMatchObject({ exit_code: -1 });
    expect(await upstream().upload_dir('/no/such', 'x')).toMatchObject([{ exit_code: -1 }]);
    expect(await upstream().download_file('no-such', '/tmp/x')).toMatchObject({ success: false });
    expect(await upstream().download_dir('no-such', '/tmp/x')).toMatchObject([{ success: false }]);
  });

  test('of searches and tools', async () => {
    await local.context.writeFile('many-lines', 'hit\n'.repeat(60));
    const found = await upstream().search('hit', 'many-lines');
    expect(found).toMatchObject({ total_count: 50, truncated: true });
    expect(await upstream().search('hit', 'no-such')).toEqual({ error: expect.any(String) });
    expect(await upstream().web_search('x')).toEqual({ error: 'no JSON' });
    expect(await upstream().call_tool('no_such', { a: undefined })).toBe(
      '{"error":"Unknown tool","error_kind":"unknown_tool"}',
    );
  });
});

test('cleanup ends what still runs, and leaves the sandbox with its files to its owner', async () => {
  await using other = await openLocalContext();
  await other.context.terminal('nohup sleep 876543 >/dev/null 2>&1 &');
  const kept = `${(await other.context.sandbox()).temporaryFolder}/kept`;
  await other.context.writeFile(kept, 'a');
  await other.context.cleanup();
  expect((await other.context.exec(['pgrep', '-f', '^sleep 876543'])).stdout).toBe('');
  expect((await other.context.terminal('echo still')).output).toBe('still\n');
  expect(await other.context.exists(kept)).toBe(true);
});

test('a sandbox that was closed rejects', async () => {
  const other = await openLocalContext();
  await other[Symbol.asyncDispose]();
  await expect(other.context.terminal('true')).rejects.toMatchObject({ code: expect.stringMatching(/^sandbox\./) });
  await expect(other.context.exists('x')).rejects.toMatchObject({ code: expect.stringMatching(/^sandbox\./) });
});
