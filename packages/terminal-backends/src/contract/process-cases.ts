import assert from 'node:assert/strict';
import type { SandboxProcess } from '../sandbox.ts';
import {
  expectCode,
  expectDead,
  expectDeadSoon,
  expectEqual,
  outputOf,
  type SandboxContractCase,
  sandboxCase,
  waitForFile,
} from './contract-case.ts';

async function textOf(started: SandboxProcess, offset = 0): Promise<string> {
  return Buffer.from((await started.readOutput(offset)).bytes).toString();
}

/** Moments at which something is being started, on a fast backend and on a slow one. */
const abortDelaysMs = [0, 2, 5, 10, 20, 30, 45, 70, 100, 150, 250, 400];

/** Processes in the background. */
export const processCases: readonly SandboxContractCase[] = [
  sandboxCase('runs a process beside the commands and knows how it ended', async (sandbox) => {
    const started = await sandbox.spawn('echo out; echo err >&2; until [ -e ~/go ]; do sleep 0.02; done; exit 5');
    assert.match(started.id, /^proc_[0-9a-f]{12}$/);
    assert.equal(started.exit, null);
    assert.equal(await started.wait({ timeoutMs: 10 }), null);
    await sandbox.run('touch ~/go');
    const exit = await started.wait();
    assert.equal(exit?.exitCode, 5);
    expectEqual(started.exit, exit);
    assert.equal(await textOf(started), 'out\nerr\n');
  }),
  sandboxCase(
    'starts with the shell state and never changes it',
    async (sandbox) => {
      await sandbox.run('cd /usr; export A=1');
      const started = await sandbox.spawn('pwd; echo $A; cd /; export A=2');
      await started.wait();
      assert.equal(await textOf(started), '/usr\n1\n');
      assert.equal(await outputOf(sandbox, 'pwd; echo $A'), '/usr\n1\n');
    },
    (capabilities) => capabilities.keepsShellState,
  ),
  sandboxCase('reads what is written to it, until its input is closed', async (sandbox) => {
    const started = await sandbox.spawn('cat; echo end');
    await started.write('one\n');
    await started.write(Buffer.from('two\n'));
    await started.closeStdin();
    assert.equal((await started.wait())?.exitCode, 0);
    assert.equal(await textOf(started), 'one\ntwo\nend\n');
    await expectCode(started.write('three\n'), 'sandbox.stdin-closed');
  }),
  sandboxCase('is killed with all that it started', async (sandbox) => {
    const started = await sandbox.spawn(
      `trap '' TERM; echo $$ > ~/pids; setsid bash -c 'echo $$ >> ~/pids; echo > ~/ready; sleep 600'`,
    );
    await waitForFile(sandbox, `${sandbox.home}/ready`);
    const exit = await started.kill({ graceMs: 50 });
    assert.ok(exit.exitCode === 137 || exit.exitCode === 143, `${exit.exitCode}`);
    await expectDead(sandbox, `${sandbox.home}/pids`);
    expectEqual(await started.kill(), exit);
  }),
  sandboxCase('keeps the last of much output in bounded memory, by offset', async (sandbox) => {
    const started = await sandbox.spawn('head -c 5000000 /dev/zero; printf end');
    await started.wait();
    const { totalBytes } = await started.readOutput(0);
    assert.equal(totalBytes, 5_000_003);
    const tail = await started.readOutput(5_000_000);
    assert.equal(Buffer.from(tail.bytes).toString(), 'end');
    assert.equal(tail.droppedBytes, 0);
    const head = await started.readOutput(0, { maxBytes: 10 });
    assert.equal(head.bytes.length, 10);
    assert.equal(head.droppedBytes, head.offset);
  }),
  sandboxCase('rejects a wait that is aborted', async (sandbox) => {
    const started = await sandbox.spawn('sleep 600');
    const reason = new Error('stop');
    const controller = new AbortController();
    const waiting = started.wait({ signal: controller.signal });
    controller.abort(reason);
    await assert.rejects(waiting, (error) => error === reason);
    assert.equal(started.exit, null);
  }),
  sandboxCase('leaves nothing of a process whose start is aborted, whenever that is', async (sandbox) => {
    await sandbox.writeFile('~/pids', '');
    for (const delayMs of abortDelaysMs) {
      const reason = new Error('stop');
      const controller = new AbortController();
      const timer = setTimeout(() => controller.abort(reason), delayMs);
      const options = { signal: controller.signal };
      const started = await sandbox.spawn('echo $$ >> ~/pids; exec sleep 4738', options).catch((error: unknown) => {
        assert.equal(error, reason);
      });
      clearTimeout(timer);
      // Too late to abort it.
      await started?.kill({ graceMs: 50 });
    }
    await expectDeadSoon(sandbox, `${sandbox.home}/pids`);
  }),
  sandboxCase(
    'gives a terminal when asked to',
    async (sandbox) => {
      const started = await sandbox.spawn('test -t 0 && test -t 1 && echo terminal; exit 6', { pty: true });
      assert.equal((await started.wait())?.exitCode, 6);
      assert.match(await textOf(started), /terminal/);
    },
    (capabilities) => capabilities.pty,
  ),
];
