import { expect, test } from '@jest/globals';
import type { OpenPlace } from './open-place.ts';

/** Declares what `patch` must do on every backend. */
export function declarePatchCases(open: OpenPlace): void {
  test('replaces one place, shows the difference, and names the strategy where it was loose', async () => {
    await using place = await open();
    await place.sandbox.writeFile('file.txt', 'one\n  two\nthree\n');
    expect(await place.tools.callJson('patch', { path: 'file.txt', old_string: 'three', new_string: 'drei' })).toEqual({
      success: true,
      diff: '--- a/file.txt\n+++ b/file.txt\n@@ -1,3 +1,3 @@\n one\n   two\n-three\n+drei\n',
      files_modified: [`${place.folder}/file.txt`],
    });
    const loose = { path: 'file.txt', old_string: 'one\ntwo', new_string: 'eins\nzwei' };
    expect(await place.tools.callJson('patch', loose)).toMatchObject({ match_strategy: 'line_trimmed' });
    expect(await place.read('file.txt')).toBe('eins\nzwei\ndrei\n');
  });

  test('CRLF, the byte-order mark and the mode stay', async () => {
    await using place = await open();
    await place.sandbox.writeFile('file', '\ufeffa\r\nb\r\nc\r\n', { mode: 0o750 });
    await place.tools.callJson('patch', { path: 'file', old_string: 'b\nc', new_string: 'B\nC' });
    expect(await place.read('file')).toBe('\ufeffa\r\nB\r\nC\r\n');
    expect(await place.sandbox.stat('file')).toMatchObject({ mode: 0o750 });
  });

  test('a file of 3,000 lines, some of 5,000 characters, loses nothing', async () => {
    await using place = await open();
    const lines = Array.from({ length: 3_000 }, (_, index) =>
      index % 1_000 === 0 ? `${index}:${'x'.repeat(5_000)}` : `line ${index}`,
    );
    const text = `${lines.join('\n')}\n`;
    await place.sandbox.writeFile('big.txt', text);
    const patch = '*** Begin Patch\n*** Update File: big.txt\n@@\n line 2898\n-line 2899\n+changed\n*** End Patch';
    expect(await place.tools.callJson('patch', { patch })).toMatchObject({ success: true });
    expect(await place.read('big.txt')).toBe(text.replace('line 2899\n', 'changed\n'));
  });

  const several = [
    '*** Begin Patch',
    '*** Update File: a.json',
    '-{"a": 1}',
    '+{"a": 2}',
    '*** Add File: new/deep/b.txt',
    '+b',
    '*** Delete File: c.txt',
    '*** Update File: d.sh',
    '*** Move to: e.sh',
    ' #!/bin/sh',
    '-echo d',
    '+echo e',
    '*** End Patch',
  ].join('\n');
  const prepare =
    "printf '{\"a\": 1}\\n' > a.json; echo gone > c.txt; printf '#!/bin/sh\\necho d\\n' > d.sh; chmod 755 d.sh";
  const snapshot = 'find . -mindepth 1 -printf "%P\n" | sort; stat -c %a *.sh; cat a.json c.txt d.sh e.sh 2>/dev/null';

  test('changes, adds, deletes and moves in one go', async () => {
    await using place = await open();
    await place.sandbox.run(prepare);
    expect(await place.tools.callJson('patch', { patch: several })).toMatchObject({
      success: true,
      files_modified: [`${place.folder}/a.json`],
      files_created: [`${place.folder}/new/deep/b.txt`, `${place.folder}/e.sh`],
      files_deleted: [`${place.folder}/c.txt`, `${place.folder}/d.sh`],
      lint: { status: 'ok' },
    });
    expect((await place.sandbox.run(snapshot)).output).toBe(
      'a.json\ne.sh\nnew\nnew/deep\nnew/deep/b.txt\n755\n{"a": 2}\n#!/bin/sh\necho e\n',
    );
  });

  test('one error in any section changes nothing, and all errors are told', async () => {
    await using place = await open();
    await place.sandbox.run(prepare);
    const before = (await place.sandbox.run(snapshot)).output;
    const wrong = several.replace('-echo d', '-echo x').replace('c.txt', 'nowhere.txt');
    const outcome = await place.tools.call('patch', { patch: wrong });
    expect(outcome).toMatchObject({ isError: true, errorKind: 'invalid_args' });
    expect(JSON.parse(outcome.content)['error']).toMatch(/nowhere\.txt: does not exist.*d\.sh, part 1/);
    expect((await place.sandbox.run(snapshot)).output).toBe(before);
  });

  test('two names of one file are one file', async () => {
    await using place = await open();
    await place.sandbox.run('printf "1\\n2\\n3\\n" > real; ln -s real link; ln -s . here');
    const sections = ['real\n-1\n+one', 'link\n-2\n+two', `${place.folder}/here/real\n-3\n+three`];
    const patch = sections.map((section) => `*** Update File: ${section}`).join('\n');
    expect(await place.tools.callJson('patch', { patch })).toMatchObject({ files_modified: [`${place.folder}/real`] });
    expect(await place.read('real')).toBe('one\ntwo\nthree\n');
  });

  test('text that is not there, or is there twice, changes nothing and is told with places', async () => {
    await using place = await open();
    await place.sandbox.writeFile('f', 'line one\nline two\n');
    const twice = await place.tools.call('patch', { path: 'f', old_string: 'line', new_string: 'x' });
    expect(JSON.parse(twice.content)).toMatchObject({ success: false, error: expect.stringContaining('lines 1, 2') });
    const missing = await place.tools.call('patch', { path: 'f', old_string: 'line tow', new_string: 'x' });
    expect(JSON.parse(missing.content)).toMatchObject({ success: false, hint: expect.stringContaining('2|line two') });
    expect(await place.read('f')).toBe('line one\nline two\n');
  });
}
