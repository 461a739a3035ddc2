import assert from 'node:assert/strict';
import { expectExit, outputOf, type SandboxContractCase, sandboxCase, waitForFile } from './contract-case.ts';

/** Output: exact, bounded, and never waited for in vain. */
export const outputCases: readonly SandboxContractCase[] = [
  sandboxCase('gives 1 MB of random bytes exactly, NULs and all', async (sandbox) => {
    await sandbox.run('head -c 1000000 /dev/urandom > ~/random');
    const { bytes } = await sandbox.readFile('~/random');
    const result = await sandbox.run('cat ~/random');
    assert.ok(Buffer.from(bytes).equals(result.outputBytes));
    assert.equal(result.truncatedBytes, 0);
  }),
  sandboxCase('decodes a 4-byte character that arrives in two pieces', async (sandbox) => {
    const output = await outputOf(sandbox, String.raw`printf '\xf0\x9f'; sleep 0.1; printf '\x99\x82'; printf '\xff'`);
    assert.equal(output, '🙂\ufffd');
  }),
  sandboxCase('keeps no final line break back and adds none', async (sandbox) => {
    assert.equal(await outputOf(sandbox, 'printf x'), 'x');
    assert.equal(await outputOf(sandbox, String.raw`printf 'x\n\n'`), 'x\n\n');
  }),
  sandboxCase('keeps the first 40 % and the last 60 % and counts the rest', async (sandbox) => {
    const result = await sandbox.run('seq 1 100000', { maxOutputBytes: 1_000 });
    const whole = Array.from({ length: 100_000 }, (_, index) => `${index + 1}\n`).join('');
    assert.equal(result.output, whole.slice(0, 400) + whole.slice(-600));
    assert.equal(result.truncatedBytes, whole.length - 1_000);
  }),
  sandboxCase('reads on beyond the limit, so that the command never blocks', async (sandbox) => {
    const result = expectExit(await sandbox.run('yes | head -c 50000000; echo end', { maxOutputBytes: 1_000 }), 0);
    assert.match(result.output, /end\n$/);
    assert.equal(result.truncatedBytes, 50_000_004 - 1_000);
  }),
  sandboxCase('ends yes at the time limit and keeps what fits', async (sandbox) => {
    const result = await sandbox.run('yes', { timeoutMs: 300, maxOutputBytes: 10_000 });
    assert.equal(result.kind, 'timed-out');
    assert.equal(result.outputBytes.length, 10_000);
    assert.ok(result.truncatedBytes > 0);
  }),
  sandboxCase('hands each piece to the listener, before any limit', async (sandbox) => {
    let heard = '';
    const onOutput = (chunk: Uint8Array) => {
      heard += Buffer.from(chunk).toString();
    };
    await sandbox.run('seq 1 1000', { maxOutputBytes: 10, onOutput });
    assert.equal(heard, Array.from({ length: 1_000 }, (_, index) => `${index + 1}\n`).join(''));
  }),
  sandboxCase('does not wait for a child in the background that holds the output', async (sandbox) => {
    const result = expectExit(await sandbox.run('sleep 60 & echo started'), 0);
    assert.equal(result.output, 'started\n');
    assert.ok(result.durationMs < 30_000);
  }),
  sandboxCase(
    'keeps late output of the background out of the next command, and lets its writer live',
    async (sandbox) => {
      const late = '(until [ -e ~/go ]; do sleep 0.02; done; echo LATE; echo survived > ~/survived) & echo first';
      assert.equal(await outputOf(sandbox, late), 'first\n');
      await sandbox.writeFile('~/go', '');
      assert.equal(await outputOf(sandbox, 'until [ -s ~/survived ]; do sleep 0.02; done; echo second'), 'second\n');
      await waitForFile(sandbox, `${sandbox.home}/survived`);
    },
  ),
  sandboxCase('lets a command write to /dev/stdout and /dev/stderr by name', async (sandbox) => {
    assert.equal(await outputOf(sandbox, 'echo a > /dev/stdout; echo b | tee /dev/stderr'), 'a\nb\nb\n');
  }),
];
