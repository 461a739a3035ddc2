import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  expectCode,
  expectEqual,
  expectExit,
  outputOf,
  type SandboxContractCase,
  sandboxCase,
} from './contract-case.ts';

/** Running commands: exit codes, input, environment, exact arguments. */
export const commandCases: readonly SandboxContractCase[] = [
  sandboxCase('runs a script and gives its output and exit code', async (sandbox) => {
    const result = expectExit(await sandbox.run('echo hello; echo oops >&2; exit 3'), 3);
    assert.equal(result.output, 'hello\noops\n');
    assert.equal(result.truncatedBytes, 0);
    assert.ok(result.durationMs >= 0);
  }),
  sandboxCase('keeps standard error apart when asked to', async (sandbox) => {
    const result = await sandbox.run('echo out; echo err >&2', { mergeStderr: false });
    expectEqual([result.output, result.stderr], ['out\n', 'err\n']);
  }),
  sandboxCase('keeps the order of both streams when they are merged', async (sandbox) => {
    const output = await outputOf(sandbox, 'for i in 1 2 3 4 5; do echo o$i; echo e$i >&2; done');
    assert.equal(output, [1, 2, 3, 4, 5].map((i) => `o${i}\ne${i}\n`).join(''));
  }),
  sandboxCase('reports a death by signal n as 128 + n', async (sandbox) => {
    expectExit(await sandbox.run('kill -9 $$'), 137);
    expectExit(await sandbox.run('kill -TERM $$'), 143);
  }),
  sandboxCase('reports a syntax error as 2 and goes on', async (sandbox) => {
    const result = expectExit(await sandbox.run('if true; then'), 2);
    assert.match(result.output, /syntax error/);
    assert.equal(await outputOf(sandbox, 'echo ok'), 'ok\n');
  }),
  sandboxCase('takes quotes, here documents, comments and line breaks literally', async (sandbox) => {
    const script = `cat <<'END'\nit's "fine" $HOME \\\nEND\necho 'a'"b"\\c # comment`;
    assert.equal(await outputOf(sandbox, script), `it's "fine" $HOME \\\nabc\n`);
  }),
  sandboxCase('takes a script that starts with a dash', async (sandbox) => {
    expectExit(await sandbox.run('-n'), 127);
  }),
  sandboxCase('takes a script of 300 KB', async (sandbox) => {
    const word = 'ü'.repeat(150_000);
    assert.equal(await outputOf(sandbox, `printf '%s' '${word}' | wc -c`), '300000\n');
  }),
  sandboxCase('refuses a script with a NUL character', async (sandbox) => {
    await expectCode(sandbox.run('echo a\0b'), 'sandbox.invalid-command');
  }),
  sandboxCase(
    'passes input exactly, without an added line break',
    async (sandbox) => {
      const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7) % 256));
      const result = await sandbox.run('cat', { stdin: bytes });
      assert.ok(bytes.equals(result.outputBytes));
      assert.equal(await outputOf(sandbox, 'wc -c', { stdin: 'abc' }), '3\n');
      assert.equal(await outputOf(sandbox, 'cat /dev/stdin', { stdin: 'by name' }), 'by name');
    },
    (capabilities) => capabilities.stdin,
  ),
  sandboxCase(
    'passes 10 MB of input with zero bytes',
    async (sandbox) => {
      const bytes = Buffer.alloc(10_000_000, Buffer.from([0, 0, 1, 255, 0, 10, 13, 0]));
      const sum = createHash('sha256').update(bytes).digest('hex');
      assert.equal(await outputOf(sandbox, 'sha256sum', { stdin: bytes }), `${sum}  -\n`);
      assert.equal(await outputOf(sandbox, 'sha256sum', { stdin: bytes, isStateless: true }), `${sum}  -\n`);
    },
    (capabilities) => capabilities.stdin,
  ),
  sandboxCase(
    'does not mind a command that leaves its input unread',
    async (sandbox) => {
      assert.equal(await outputOf(sandbox, 'echo done', { stdin: Buffer.alloc(1_000_000) }), 'done\n');
    },
    (capabilities) => capabilities.stdin,
  ),
  sandboxCase('gives no input where none is given', async (sandbox) => {
    assert.equal(await outputOf(sandbox, 'cat; echo end'), 'end\n');
  }),
  sandboxCase('runs in the folder that the call names, for that call only', async (sandbox) => {
    assert.equal(await outputOf(sandbox, 'pwd', { cwd: '/' }), '/\n');
    assert.equal((await outputOf(sandbox, 'pwd')).trim(), sandbox.cwd);
  }),
  sandboxCase('says so with 126 when the folder that the call names is missing', async (sandbox) => {
    const result = expectExit(await sandbox.run('echo never', { cwd: '/no/such/folder' }), 126);
    assert.match(result.output, /\/no\/such\/folder/);
    assert.doesNotMatch(result.output, /never/);
  }),
  sandboxCase('starts no process in a folder that is missing', async (sandbox) => {
    const started = await sandbox.spawn('echo never', { cwd: '/no/such/folder' });
    assert.equal((await started.wait())?.exitCode, 126);
    const output = Buffer.from((await started.readOutput(0)).bytes).toString();
    assert.match(output, /\/no\/such\/folder/);
    assert.doesNotMatch(output, /never/);
  }),
  sandboxCase('sets variables for one call, and puts back what was there', async (sandbox) => {
    await sandbox.run('export KEPT=before');
    const env = { KEPT: "it's", ONCE: 'a\nb' };
    assert.equal(await outputOf(sandbox, 'echo "$KEPT,$ONCE"', { env }), "it's,a\nb\n");
    assert.equal(await outputOf(sandbox, 'echo "$KEPT"; printenv ONCE || echo unset'), 'before\nunset\n');
  }),
  sandboxCase('runs a program with exact arguments', async (sandbox) => {
    const words = ['printf', '[%s]\\n', '$HOME', 'a b', "it's", '', '-n', '*'];
    const result = expectExit(await sandbox.runProgram(words), 0);
    assert.equal(result.output, "[$HOME]\n[a b]\n[it's]\n[]\n[-n]\n[*]\n");
  }),
  sandboxCase('says with 127 that a program does not exist', async (sandbox) => {
    const result = expectExit(await sandbox.runProgram(['talaria-no-such-program']), 127);
    assert.match(result.output, /talaria-no-such-program/);
  }),
  sandboxCase('gives a program the folder and the variables of the call', async (sandbox) => {
    const result = await sandbox.runProgram(['sh', '-c', 'pwd; echo $WORD'], { cwd: '/', env: { WORD: 'x' } });
    assert.equal(result.output, '/\nx\n');
  }),
];
