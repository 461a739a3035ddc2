import assert from 'node:assert/strict';
import {
  expectDead,
  expectEqual,
  expectExit,
  outputOf,
  type SandboxContractCase,
  sandboxCase,
  waitForFile,
} from './contract-case.ts';

/** A tree that fights back: it ignores SIGTERM, has a grandchild in a session of its own and a child in the background. */
const stubbornTree = `trap '' TERM
  echo $$ > ~/pids
  setsid bash -c 'echo $$ >> ~/pids; trap "" TERM; while :; do sleep 1; done' &
  (echo $BASHPID >> ~/pids; while :; do sleep 1; done) &
  until [ $(wc -l < ~/pids) = 3 ]; do sleep 0.02; done
  echo ready; echo ready > ~/ready
  while :; do sleep 1; done`;

/** A tree of another user: it bears no mark, ignores SIGTERM, and leads a session of its own. */
const foreignTree = `: > ~/pids
  setpriv --reuid 65534 --regid 65534 --clear-groups env -i setsid sh -c '
    trap "" TERM; echo $$ >&3; sleep 600 & echo $! >&3; while :; do sleep 1; done' 3>> ~/pids >/dev/null 2>&1 &
  until [ $(wc -l < ~/pids) = 2 ]; do sleep 0.02; done
  echo ready
  while :; do sleep 1; done`;

/** Time limits, interrupts, and many at once. */
export const killCases: readonly SandboxContractCase[] = [
  sandboxCase('ends the whole tree at the time limit and keeps the output until then', async (sandbox) => {
    const result = await sandbox.run(stubbornTree, { timeoutMs: 2_500 });
    assert.ok(result.kind === 'timed-out');
    assert.equal(result.timeoutMs, 2_500);
    assert.equal(result.output, 'ready\n');
    await expectDead(sandbox, `${sandbox.home}/pids`);
    assert.equal(await outputOf(sandbox, 'echo usable'), 'usable\n');
  }),
  sandboxCase('ends the whole tree when it is aborted, and says interrupted', async (sandbox) => {
    const controller = new AbortController();
    const running = sandbox.run(stubbornTree, { signal: controller.signal });
    await waitForFile(sandbox, `${sandbox.home}/ready`);
    controller.abort(new Error('stop'));
    const result = await running;
    assert.equal(result.kind, 'interrupted');
    assert.equal(result.output, 'ready\n');
    await expectDead(sandbox, `${sandbox.home}/pids`);
    assert.equal(await outputOf(sandbox, 'echo usable'), 'usable\n');
  }),
  // A known gap where nobody can become another user: then there are no such children.
  sandboxCase('ends children of another user at the time limit', async (sandbox) => {
    await outputOf(sandbox, 'setpriv --reuid 65534 --regid 65534 --clear-groups true');
    const result = await sandbox.run(foreignTree, { timeoutMs: 2_500 });
    assert.equal(result.kind, 'timed-out');
    assert.equal(result.output, 'ready\n');
    await expectDead(sandbox, `${sandbox.home}/pids`);
  }),
  sandboxCase('does not run what was aborted before', async (sandbox) => {
    const reason = new Error('stop');
    const signal = AbortSignal.abort(reason);
    await assert.rejects(sandbox.run('touch ~/never', { signal }), (error) => error === reason);
    assert.equal(await sandbox.stat('~/never'), null);
  }),
  sandboxCase('does not run what was aborted while it waited for its turn', async (sandbox) => {
    const controller = new AbortController();
    const reason = new Error('stop');
    const first = sandbox.run('until [ -e ~/go ]; do sleep 0.02; done');
    const second = sandbox.run('touch ~/never', { signal: controller.signal });
    controller.abort(reason);
    await assert.rejects(second, (error) => error === reason);
    await sandbox.writeFile('~/go', '');
    expectExit(await first, 0);
    assert.equal(await sandbox.stat('~/never'), null);
  }),
  sandboxCase('tells a time-out from a command that exits with 124', async (sandbox) => {
    expectExit(await sandbox.run('exit 124'), 124);
  }),
  sandboxCase('runs commands one after another, in order', async (sandbox) => {
    const runs = [1, 2, 3, 4].map((number) =>
      sandbox.run(`echo ${number} >> ~/order; sleep 0.05; echo ${number} >> ~/order`),
    );
    await Promise.all(runs);
    assert.equal(await outputOf(sandbox, 'cat ~/order'), '1\n1\n2\n2\n3\n3\n4\n4\n');
  }),
  sandboxCase('runs stateless calls beside a command', async (sandbox) => {
    const command = sandbox.run('until [ -e ~/go ]; do sleep 0.02; done; echo went');
    const calls = Array.from({ length: 20 }, (_, number) => sandbox.run(`echo ${number}`, { isStateless: true }));
    expectEqual(
      (await Promise.all(calls)).map((result) => result.output),
      Array.from({ length: 20 }, (_, number) => `${number}\n`),
    );
    await sandbox.run('touch go', { isStateless: true, cwd: '~' });
    assert.equal((await command).output, 'went\n');
  }),
  sandboxCase('takes 64 stateless calls and 64 commands that wait for their turn at once', async (sandbox) => {
    const numbers = Array.from({ length: 64 }, (_, index) => index);
    const beside = numbers.map((number) => sandbox.run(`echo ${number}`, { isStateless: true }));
    const queued = numbers.map((number) => sandbox.run(`echo ${number} >> ~/order; echo ${number}`));
    const results = await Promise.all([...beside, ...queued]);
    expectEqual(
      results.map(({ output }) => output),
      [...numbers, ...numbers].map((number) => `${number}\n`),
    );
    assert.equal(await outputOf(sandbox, 'cat ~/order'), numbers.map((number) => `${number}\n`).join(''));
  }),
  sandboxCase('ends everything on killAll and stays usable', async (sandbox) => {
    await sandbox.run(
      'setsid bash -c "echo \\$\\$ > ~/pids; exec sleep 600" >/dev/null 2>&1 & until [ -s ~/pids ]; do sleep 0.02; done',
    );
    const background = await sandbox.spawn('sleep 600');
    await sandbox.killAll();
    await expectDead(sandbox, `${sandbox.home}/pids`);
    assert.notEqual(await background.wait(), null);
    assert.equal(await outputOf(sandbox, 'echo usable'), 'usable\n');
  }),
];
