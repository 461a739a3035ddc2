import { expect, test } from '@jest/globals';
import type { OpenPlace } from './open-place.ts';

/** Declares what `terminal` must do on every backend. */
export function declareTerminalCases(open: OpenPlace): void {
  test('output, exit code and error come first, whatever the command returned', async () => {
    await using place = await open();
    const { content, isError } = await place.tools.call('terminal', { command: 'echo out; echo err >&2; exit 3' });
    expect(content).toBe('{"output":"out\\nerr","exit_code":3,"error":null}');
    expect(isError).toBe(false);
    const noted = await place.tools.call('terminal', { command: 'mkdir in; cd in; grep x /dev/null' });
    expect(Object.keys(JSON.parse(noted.content))).toEqual([
      'output',
      'exit_code',
      'error',
      'exit_code_meaning',
      'cwd',
    ]);
  });

  test.each([
    ['true | grep x', 1, /No match/],
    ['echo a > a; echo b > b; A=1 diff a b', 1, /differ/],
    ['[ -f nowhere ]', 1, /false/],
    ['no-such-program-here', 127, /not found/],
    ['touch plain; ./plain', 126, /executed/],
    ['bash -c "kill -9 \\$\\$"', 137, /SIGKILL/],
    ['bash -c "kill -SEGV \\$\\$"', 139, /SIGSEGV/],
  ])('%p is explained', async (command, exitCode, meaning) => {
    await using place = await open();
    const result = await place.tools.callJson('terminal', { command });
    expect(result).toMatchObject({ exit_code: exitCode, exit_code_meaning: expect.stringMatching(meaning) });
  });

  test('cd and exports stay, workdir is for one command and only a path', async () => {
    await using place = await open();
    const { tools, folder } = place;
    await tools.call('terminal', { command: 'mkdir -p "it\'s" b; export WORD=kept' });
    expect(await tools.callJson('terminal', { command: 'pwd', workdir: "it's" })).toEqual({
      output: `${folder}/it's`,
      exit_code: 0,
      error: null,
    });
    expect(await tools.callJson('terminal', { command: 'cd b' })).toMatchObject({ cwd: `${folder}/b` });
    expect(await tools.callJson('terminal', { command: 'basename "$PWD"; echo $WORD' })).toMatchObject({
      output: 'b\nkept',
    });
    const hostile = await tools.call('terminal', { command: 'touch ran', workdir: '$(touch made)' });
    expect(hostile).toMatchObject({ isError: true, errorKind: 'not_found' });
    expect(JSON.parse(hostile.content)).toMatchObject({ output: '', exit_code: -1 });
    expect((await place.sandbox.list(`${folder}/b`)).length).toBe(0);
  });

  test('a command that takes too long gives 124, what it wrote, and advice', async () => {
    await using place = await open();
    const outcome = await place.tools.call('terminal', { command: 'echo begun; exec sleep 60', timeout: 2 });
    expect(outcome).toMatchObject({ isError: true, errorKind: 'timeout' });
    expect(JSON.parse(outcome.content)).toMatchObject({
      output: 'begun',
      exit_code: 124,
      error: expect.stringContaining('stopped after 2 s'),
    });
  });

  test('large output keeps 40 % and 60 %, without control sequences and overdrawn lines', async () => {
    await using place = await open({ settings: { maxOutputChars: 1_000 } });
    const { output } = await place.tools.callJson('terminal', { command: 'seq -f "\u001b[31m%05g\u001b[0m" 1 2000' });
    const [head = '', tail = ''] = String(output).split(/\n\n\.\.\. \[\d+ of 11999 characters omitted\] \.\.\.\n\n/);
    expect([head.length, tail.length]).toEqual([400, 600]);
    expect(head).toMatch(/^00001\n00002\n/);
    expect(tail).toMatch(/\n02000$/);
    const progress = await place.tools.callJson('terminal', {
      command: "printf '1%%\\r50%%\\r\\033[32mdone\\033[0m\\n'",
    });
    expect(progress['output']).toBe('done');
  });

  test('the third same result in a row is noted', async () => {
    await using place = await open();
    const notes = async (): Promise<unknown> =>
      (await place.tools.callJson('terminal', { command: 'echo same' }))['notes'];
    expect([await notes(), await notes()]).toEqual([undefined, undefined]);
    expect(await notes()).toEqual(['This command gave the same result 3 times in a row']);
  });

  // Harmless should the rule fail: there is no such disk.
  test.each([
    'mkfs /nowhere/disk',
    '"mk"fs.ext4 /nowhere/disk',
    'sudo -u root env A=1 nohup mkfs /nowhere/disk',
    'true && (mkfs /nowhere/disk)',
    'echo $(mkfs /nowhere/disk)',
    'bash -c "mkfs /nowhere/disk"',
  ])('%p is refused only where nothing isolates the machine', async (command) => {
    await using place = await open();
    const outcome = await place.tools.call('terminal', { command });
    const isIsolated = place.sandbox.capabilities.isolation !== 'none';
    expect(outcome.errorKind).toBe(isIsolated ? null : 'blocked');
    if (!isIsolated) {
      expect(JSON.parse(outcome.content)).toMatchObject({
        output: '',
        exit_code: -1,
        status: 'blocked',
        error: expect.stringContaining('formatting a file system'),
      });
    }
    expect((await place.tools.call('terminal', { command: `echo '${command}'` })).isError).toBe(false);
  });
}
