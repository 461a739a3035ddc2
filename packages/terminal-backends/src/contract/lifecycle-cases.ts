import assert from 'node:assert/strict';
import {
  expectCode,
  expectExit,
  outputOf,
  type SandboxContractCase,
  sandboxCase,
  waitForFile,
} from './contract-case.ts';

/** Opening, isolation from one another, and the end. */
export const lifecycleCases: readonly SandboxContractCase[] = [
  sandboxCase('starts in its home, with a folder for temporary files', async (sandbox) => {
    assert.equal(sandbox.cwd, sandbox.home);
    assert.equal(await outputOf(sandbox, 'pwd; echo $HOME'), `${sandbox.home}\n${sandbox.home}\n`);
    assert.equal((await sandbox.stat(sandbox.temporaryFolder))?.kind, 'directory');
    assert.equal(await sandbox.ping(), true);
  }),
  {
    name: 'gives every command the variables of the spec',
    async run(open) {
      await using sandbox = await open({ env: { GREETING: "it's me" } });
      assert.equal(await outputOf(sandbox, 'echo "$GREETING"'), "it's me\n");
      assert.equal((await sandbox.runProgram(['printenv', 'GREETING'])).output, "it's me\n");
    },
  },
  {
    name: 'ends a command at the time limit of the spec',
    async run(open) {
      await using sandbox = await open({ defaultTimeoutMs: 200 });
      const result = await sandbox.run('sleep 60');
      assert.ok(result.kind === 'timed-out' && result.timeoutMs === 200);
    },
  },
  {
    name: 'keeps two sandboxes apart',
    async run(open) {
      await using first = await open();
      await using second = await open();
      assert.notEqual(first.id, second.id);
      await first.run('cd /; export A=1; mkdir ~/own; touch ~/own/mine');
      assert.equal(await outputOf(second, 'printenv A || echo unset; [ ! -e ~/own ] || echo shared'), 'unset\n');
      assert.equal(second.cwd, second.home);
    },
  },
  {
    name: 'refuses everything once it is closed, and closes twice as well as once',
    async run(open) {
      const sandbox = await open();
      await sandbox.run('true');
      await sandbox[Symbol.asyncDispose]();
      await sandbox[Symbol.asyncDispose]();
      assert.equal(await sandbox.ping(), false);
      await expectCode(sandbox.run('true'), 'sandbox.closed');
      await expectCode(sandbox.spawn('true'), 'sandbox.closed');
      await expectCode(sandbox.readFile('~/x'), 'sandbox.closed');
    },
  },
  {
    name: 'ends a command that runs when it is closed',
    async run(open) {
      const sandbox = await open();
      const running = sandbox.run('echo > ~/ready; sleep 600');
      const waiting = sandbox.run('echo never');
      const failures = Promise.all([expectCode(running, 'sandbox.closed'), expectCode(waiting, 'sandbox.closed')]);
      await waitForFile(sandbox, `${sandbox.home}/ready`);
      await sandbox[Symbol.asyncDispose]();
      await failures;
    },
  },
  {
    name: 'closes once, whoever asks at the same time and whatever is under way',
    async run(open) {
      const sandbox = await open();
      const background = await sandbox.spawn('sleep 600');
      const running = sandbox.run('echo > ~/ready; sleep 600');
      const stateless = sandbox.run('sleep 600', { isStateless: true });
      const failures = Promise.all([running, stateless].map((run) => expectCode(run, 'sandbox.closed')));
      await waitForFile(sandbox, `${sandbox.home}/ready`);
      const writing = sandbox.writeFile('~/large', Buffer.alloc(20_000_000)).then(
        () => null,
        (error: unknown) => expectCode(Promise.reject(error), 'sandbox.closed'),
      );
      await Promise.all([1, 2, 3].map(() => sandbox[Symbol.asyncDispose]()));
      await failures;
      await writing;
      assert.notEqual(await background.wait(), null);
      await sandbox[Symbol.asyncDispose]();
      assert.equal(await sandbox.ping(), false);
    },
  },
  {
    name: 'ends with its lifetime, and says that it is lost',
    async run(open) {
      await using sandbox = await open({ maxLifetimeMs: 1_500 });
      const background = await sandbox.spawn('sleep 600');
      await expectCode(sandbox.run('sleep 600'), 'sandbox.lost');
      assert.notEqual(await background.wait(), null);
      await expectCode(sandbox.run('true'), 'sandbox.lost');
      assert.equal(await sandbox.ping(), false);
    },
  },
  sandboxCase('asks for no password and no pager', async (sandbox) => {
    const result = expectExit(await sandbox.run('echo "$PAGER $GIT_PAGER $GIT_TERMINAL_PROMPT $TERM"'), 0);
    assert.equal(result.output, 'cat cat 0 dumb\n');
  }),
];
