import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { SandboxHandle } from '@talaria/terminal-backends';
import { createTestDispatcher } from '@talaria/tools/testing';
import { type LocalTools, openLocalTools } from './open-local-sandbox.ts';

let local: LocalTools;
beforeEach(async () => {
  local = await openLocalTools();
});
afterEach(async () => local[Symbol.asyncDispose]());

async function textOf(path: string): Promise<string> {
  return Buffer.from((await local.sandbox.readFile(path)).bytes).toString('utf8');
}

describe('replace', () => {
  test('changes one place and shows the difference', async () => {
    await local.sandbox.writeFile('file.txt', 'one\ntwo\nthree\n');
    const args = { path: 'file.txt', old_string: 'two', new_string: 'zwei' };
    expect(await local.tools.callJson('patch', args)).toEqual({
      success: true,
      diff: '--- a/file.txt\n+++ b/file.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n',
      files_modified: [`${local.sandbox.cwd}/file.txt`],
    });
    expect(await textOf('file.txt')).toBe('one\nzwei\nthree\n');
  });

  test('names the strategy where the text was not found exactly, and how often it replaced', async () => {
    await local.sandbox.writeFile('f', '  a\n  b\n');
    const loose = await local.tools.callJson('patch', { path: 'f', old_string: 'a\nb', new_string: 'c\nd' });
    expect(loose).toMatchObject({ match_strategy: 'line_trimmed' });
    await local.sandbox.writeFile('f', 'x x x');
    const all = await local.tools.callJson('patch', { path: 'f', old_string: 'x', new_string: 'y', replace_all: true });
    expect(all).toMatchObject({ replacements: 3 });
    expect(await textOf('f')).toBe('y y y');
  });

  test.each<[string, object, string, object]>([
    ['an empty old_string', { old_string: '', new_string: 'x' }, 'invalid_args', {}],
    ['equal strings', { old_string: 'a', new_string: 'a' }, 'invalid_args', {}],
    ['a missing argument', { old_string: 'a' }, 'invalid_args', {}],
    [
      'two places',
      { old_string: 'line', new_string: 'x' },
      'invalid_args',
      { error: expect.stringContaining('lines 1, 2') },
    ],
    [
      'text that is not there',
      { old_string: 'line tow', new_string: 'x' },
      'not_found',
      { hint: expect.stringContaining('2|line two') },
    ],
  ])('%s changes nothing', async (_what, args, errorKind, fields) => {
    await local.sandbox.writeFile('f', 'line one\nline two\n');
    const outcome = await local.tools.call('patch', { path: 'f', ...args });
    expect(outcome).toMatchObject({ isError: true, errorKind });
    expect(JSON.parse(outcome.content)).toMatchObject({ success: false, ...fields });
    expect(await textOf('f')).toBe('line one\nline two\n');
  });

  test('a missing file suggests others', async () => {
    await local.sandbox.writeFile('main.py', '');
    const outcome = await local.tools.call('patch', { path: 'mian.py', old_string: 'a', new_string: 'b' });
    expect(JSON.parse(outcome.content)).toMatchObject({
      error_kind: 'not_found',
      similar_files: [`${local.sandbox.cwd}/main.py`],
    });
  });

  test('Latin-1 stays Latin-1, and refuses what it cannot hold', async () => {
    await local.sandbox.writeFile('f', Buffer.from('größe = 1\n', 'latin1'));
    await local.tools.callJson('patch', { path: 'f', old_string: '= 1', new_string: '= 2 # ö' });
    const { bytes } = await local.sandbox.readFile('f');
    expect(Buffer.from(bytes).toString('latin1')).toBe('größe = 2 # ö\n');
    const outcome = await local.tools.call('patch', { path: 'f', old_string: '= 2', new_string: '= 3 €' });
    expect(outcome.errorKind).toBe('invalid_args');
  });

  test('binary files are not edited', async () => {
    await local.sandbox.writeFile('f', Uint8Array.of(0, 1, 2));
    expect((await local.tools.call('patch', { path: 'f', old_string: 'a', new_string: 'b' })).errorKind).toBe(
      'invalid_args',
    );
  });
});

test('a replacement that would blow the file up is refused before it is made', async () => {
  await local.sandbox.writeFile('f', 'a'.repeat(1_000_000));
  const args = { path: 'f', old_string: 'a', new_string: 'b'.repeat(1_000), replace_all: true };
  expect(await local.tools.call('patch', args)).toMatchObject({ isError: true, errorKind: 'too_large' });
});

describe('patch', () => {
  const several = [
    '*** Begin Patch',
    '*** Update File: a.json',
    '-{"a": 1}',
    '+{"a": 2}',
    '*** Add File: new/deep/b.json',
    '+[',
    '*** Delete File: c.txt',
    '*** Update File: d.sh',
    '*** Move to: e.sh',
    ' #!/bin/sh',
    '-echo d',
    '+echo e',
    '*** End Patch',
  ].join('\n');

  async function prepare(): Promise<void> {
    await local.sandbox.writeFile('a.json', '{"a": 1}\n');
    await local.sandbox.writeFile('c.txt', 'gone\n');
    await local.sandbox.writeFile('d.sh', '#!/bin/sh\necho d\n', { mode: 0o755 });
  }

  async function snapshot(): Promise<string> {
    return (
      await local.sandbox.run('find . -mindepth 1 -not -path "*/.*" -printf "%P %m\n" | sort; cat a.json c.txt d.sh', {
        isStateless: true,
      })
    ).output;
  }

  test('changes, adds, deletes and moves, and says what', async () => {
    await prepare();
    const result = await local.tools.callJson('patch', { patch: several });
    const here = local.sandbox.cwd;
    expect(result).toMatchObject({
      success: true,
      files_modified: [`${here}/a.json`],
      files_created: [`${here}/new/deep/b.json`, `${here}/e.sh`],
      files_deleted: [`${here}/c.txt`, `${here}/d.sh`],
      lint: { [`${here}/a.json`]: { status: 'ok' }, [`${here}/new/deep/b.json`]: { status: 'error' } },
    });
    expect(String(result['diff'])).toContain('--- a/c.txt\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-gone\n');
    expect(await textOf('e.sh')).toBe('#!/bin/sh\necho e\n');
    expect(await local.sandbox.stat('e.sh')).toMatchObject({ mode: 0o755 });
    expect(await local.sandbox.stat('d.sh')).toBeNull();
  });

  test('one error changes nothing', async () => {
    await prepare();
    const before = await snapshot();
    const outcome = await local.tools.call('patch', { patch: several.replace('-echo d', '-echo x') });
    expect(outcome).toMatchObject({ isError: true, errorKind: 'invalid_args' });
    expect(await snapshot()).toBe(before);
  });

  test.each([1, 2, 3, 4, 5])('a failure of change %i is undone, folders too', async (failing) => {
    await prepare();
    const before = await snapshot();
    let changes = 0;
    const failOnce =
      <Arguments extends unknown[], Result>(action: (...args: Arguments) => Promise<Result>) =>
      (...args: Arguments): Promise<Result> => {
        changes += 1;
        if (changes === failing) return Promise.reject(new TypeError('disk full'));
        return action(...args);
      };
    const { sandbox } = local;
    const failingSandbox: SandboxHandle = new Proxy(sandbox, {
      get(target, property) {
        if (property === 'writeFile') return failOnce(target.writeFile.bind(target));
        if (property === 'remove') return failOnce(target.remove.bind(target));
        const value: unknown = Reflect.get(target, property, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    await using tools = createTestDispatcher({ sandbox: failingSandbox, settings: { lint: false } });
    const outcome = await tools.call('patch', { patch: several });
    expect(outcome).toMatchObject({ isError: true });
    expect(JSON.parse(outcome.content)['error']).toContain('disk full');
    expect(await snapshot()).toBe(before);
  });

  test('an abort in the middle is undone too', async () => {
    await prepare();
    const before = await snapshot();
    const controller = new AbortController();
    const { sandbox } = local;
    let writes = 0;
    const aborting: SandboxHandle = new Proxy(sandbox, {
      get(target, property) {
        const value: unknown = Reflect.get(target, property, target);
        if (property === 'writeFile') {
          return (...args: Parameters<SandboxHandle['writeFile']>) => {
            writes += 1;
            if (writes === 2) controller.abort('stop');
            return target.writeFile(...args);
          };
        }
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    await using tools = createTestDispatcher({ sandbox: aborting });
    await expect(tools.call('patch', { patch: several }, controller.signal)).rejects.toBe('stop');
    expect(await snapshot()).toBe(before);
  });

  test('a file of 3,000 lines keeps all of them', async () => {
    const lines = Array.from(
      { length: 3_000 },
      (_, index) => `line ${index} ${index % 1_000 === 0 ? 'x'.repeat(5_000) : ''}`,
    );
    await local.sandbox.writeFile('big.txt', `${lines.join('\n')}\n`);
    await local.tools.callJson('patch', { patch: '*** Update File: big.txt\n-line 2900 \n+changed' });
    expect(await textOf('big.txt')).toBe(`${lines.join('\n')}\n`.replace('line 2900 \n', 'changed\n'));
  });

  test('two spellings of one path are one file', async () => {
    await prepare();
    const patch = `*** Update File: c.txt\n-gone\n+here\n*** Update File: ${local.sandbox.cwd}/./c.txt\n-here\n+there`;
    expect(await local.tools.callJson('patch', { patch })).toMatchObject({ success: true });
    expect(await textOf('c.txt')).toBe('there\n');
  });

  test('two names of one file are one file: by a link, by a folder that is a link', async () => {
    await prepare();
    await local.sandbox.run('printf "1\\n2\\n3\\n" > real; ln -s real link; ln -s . here');
    const sections = ['real\n-1\n+one', 'link\n-2\n+two', 'here/real\n-3\n+three'];
    const patch = sections.map((section) => `*** Update File: ${section}`).join('\n');
    const result = await local.tools.callJson('patch', { patch });
    expect(result['files_modified']).toEqual([`${local.sandbox.cwd}/real`]);
    expect(await textOf('real')).toBe('one\ntwo\nthree\n');
    expect((await local.sandbox.stat('link', { isLink: true }))?.kind).toBe('symlink');
  });

  test('a deleted or moved link leaves its target', async () => {
    await prepare();
    await local.sandbox.run('echo text > real; ln -s real link; ln -s real other');
    const patch = '*** Delete File: link\n*** Update File: real\n-text\n+changed\n*** Move File: other -> copy';
    const result = await local.tools.callJson('patch', { patch });
    expect(result).toMatchObject({ success: true });
    expect(await textOf('real')).toBe('changed\n');
    expect(await local.sandbox.stat('link', { isLink: true })).toBeNull();
    expect(await local.sandbox.stat('other', { isLink: true })).toBeNull();
    expect(await textOf('copy')).toBe('text\n');
  });

  test('a deleted or moved link is made again where a later change fails', async () => {
    const { sandbox } = local;
    await sandbox.run('echo text > real; ln -s real link; ln -s ./real other; echo last > z');
    const failing: SandboxHandle = new Proxy(sandbox, {
      get(target, property) {
        const value: unknown = Reflect.get(target, property, target);
        if (property === 'remove') {
          return (...args: Parameters<SandboxHandle['remove']>) =>
            args[0].endsWith('/z') ? Promise.reject(new TypeError('no permission')) : target.remove(...args);
        }
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    await using tools = createTestDispatcher({ sandbox: failing });
    const patch = '*** Delete File: link\n*** Move File: other -> copy\n*** Delete File: z';
    const outcome = await tools.call('patch', { patch });
    expect(JSON.parse(outcome.content)['error']).toBe('Nothing was changed. no permission');
    expect(await sandbox.stat('link', { isLink: true })).toMatchObject({ kind: 'symlink', linkTarget: 'real' });
    expect(await sandbox.stat('other', { isLink: true })).toMatchObject({ kind: 'symlink', linkTarget: './real' });
    expect(await sandbox.stat('copy')).toBeNull();
  });

  test('a patch that leaves all as it is is an error', async () => {
    await prepare();
    for (const patch of ['*** Update File: c.txt\n-gone\n+gone', '*** Add File: new\n+x\n*** Delete File: new']) {
      expect(await local.tools.call('patch', { patch })).toMatchObject({ isError: true, errorKind: 'invalid_args' });
    }
    expect(await local.sandbox.stat('new')).toBeNull();
  });

  test('a new file above the limit is refused, and the others are not written', async () => {
    const patch = `*** Add File: small\n+x\n*** Add File: folder/large\n+${'x'.repeat(5_242_880)}`;
    expect(await local.tools.call('patch', { patch })).toMatchObject({ isError: true, errorKind: 'too_large' });
    expect(await local.sandbox.stat('small')).toBeNull();
    expect(await local.sandbox.stat('folder')).toBeNull();
  });

  test('a text that is no patch at all is told of in a few words', async () => {
    const outcome = await local.tools.call('patch', { patch: 'no patch\n'.repeat(10_000) });
    expect(outcome).toMatchObject({ isError: true, content: expect.stringContaining('And 9990 more.') });
    expect(outcome.content.length).toBeLessThan(2_000);
  });

  test('a patch that says nothing is an error', async () => {
    for (const patch of ['', '  ', '*** Begin Patch\n*** End Patch', 'hello']) {
      expect(await local.tools.call('patch', { mode: 'patch', patch })).toMatchObject({
        isError: true,
        errorKind: 'invalid_args',
      });
    }
  });
});
