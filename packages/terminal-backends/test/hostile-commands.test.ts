import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Sandbox } from '../src/index.ts';
import { createLocalBackend } from '../src/local/index.ts';

let stateFolder: string;
let sandbox: Sandbox;

beforeEach(async () => {
  stateFolder = await mkdtemp(join(tmpdir(), 'talaria-hostile-'));
  const backend = createLocalBackend({ stateFolder, environment: process.env, killGraceMs: 100 });
  sandbox = await backend.open({ taskId: 'hostile', defaultTimeoutMs: 20_000 });
  await sandbox.run('export A=1');
});

afterEach(async () => {
  await sandbox[Symbol.asyncDispose]();
  const left = await readdir(join(stateFolder, 'sandboxes'));
  await rm(stateFolder, { recursive: true, force: true });
  expect(left).toEqual([]);
});

const states = 'for i in 0 1 2 3 4 5 6 7; do f=environment-$i';
const pipes = 'for f in pipe-*';

describe('a local sandbox goes on', () => {
  test.each([
    ['its end file is a folder', 'rm -f end; mkdir end'],
    ['its end file is a link to /dev/zero', 'ln -sf /dev/zero end'],
    ['its end file is a pipe', 'rm -f end; mkfifo end'],
    ['its pipes are gone', 'rm -f pipe-*'],
    ['its pipes are files', `${pipes}; do rm $f; echo x > $f; done`],
    ['its pipes are folders', `${pipes}; do rm $f; mkdir $f; done`],
    ['its pipes are links', `${pipes}; do ln -sf /dev/zero $f; done`],
    ['the next pipes are taken', 'for i in $(seq 20); do touch pipe-$i; done; rm -f pipe-????*'],
  ])('where %s', async (_name, spoil) => {
    await sandbox.run(`cd ../state; ${spoil}`, { cwd: '~' });
    await sandbox.run('cd ~');
    expect(await sandbox.run('echo $A')).toMatchObject({ kind: 'exited', output: '1\n' });
    expect(await sandbox.run('cd /; pwd')).toMatchObject({ cwd: '/', output: '/\n' });
  });

  test.each([
    ['a pipe', `${states}; rm -f $f; mkfifo $f; done`],
    ['a folder', `${states}; rm -f $f; mkdir $f; done`],
    ['an endless device', `${states}; ln -sf /dev/zero $f; done`],
    ['gone', 'rm -f *; kill -9 $$'],
  ])('from the first state where the saved one is %s', async (_name, spoil) => {
    await sandbox.run(`cd ../state; ${spoil}`, { cwd: '~' });
    expect(await sandbox.run('[ -z "$A" ] && echo "none $HOME"')).toMatchObject({
      kind: 'exited',
      output: `none ${sandbox.home}\n`,
    });
    await sandbox.run('export B=2');
    expect((await sandbox.run('echo $B')).output).toBe('2\n');
  });

  test.each(['~/../state', '~/..', '~'])('where the rights to %s are taken away', async (folder) => {
    await sandbox.run(`chmod 000 ${folder}`);
    expect((await sandbox.run('echo $A')).output).toMatch(/^(talaria: .*\n)?1\n$/);
    expect((await sandbox.run('echo $A')).output).toMatch(/^(talaria: .*\n)?1\n$/);
  });
});

describe('the process that owns a sandbox', () => {
  test('survives pipes that were replaced while something still holds them', async () => {
    await sandbox.run(`cd ../state; sleep 600 & ${pipes}; do rm $f; mkdir $f; done`, { cwd: '~' });
    expect((await sandbox.run('echo on')).output).toContain('on\n');
  });

  test('keeps no pipe of a sandbox that was closed', async () => {
    const before = (await readdir('/proc/self/fd')).length;
    const backend = createLocalBackend({ stateFolder, environment: process.env, killGraceMs: 100 });
    const other = await backend.open({ taskId: 'other' });
    await other.run('sleep 600 & echo');
    const started = await other.spawn('cat');
    await other[Symbol.asyncDispose]();
    expect(await started.wait()).not.toBeNull();
    expect((await readdir('/proc/self/fd')).length).toBeLessThanOrEqual(before);
  });
});

describe('disposal removes', () => {
  const deep = `d=$(printf 'a%.0s' {1..200}); for i in $(seq 30); do mkdir $d; cd $d; done; echo x > file; chmod 500 .`;

  test('folders that lie too deep for any path', async () => {
    await sandbox.run(deep);
    expect(await sandbox.remove(`~/${'a'.repeat(200)}`)).toBe(true);
    expect(await sandbox.list('~')).toEqual([]);
    await sandbox.run(`cd ~; ${deep}`);
  });

  test('names that are not UTF-8, in folders without rights', async () => {
    await sandbox.run(`mkdir -p $'\\xff/\\xfe' && echo x > $'\\xff/\\xfe/\\xfd' && chmod 000 $'\\xff/\\xfe' $'\\xff'`);
  });
});
