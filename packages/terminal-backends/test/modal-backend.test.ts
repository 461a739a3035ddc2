import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, jest, test } from '@jest/globals';
import { createManualClock } from '@talaria/core/testing';
import { ModalClient } from 'modal';
import { writeTags } from '../src/modal/sandbox-tags.ts';
import { changeEntry, describeNamesake } from './disguise-owner.ts';
import { type ModalTest, openModalTest } from './modal-test-backend.ts';

// Each test starts a server and processes, on machines that may be busy.
jest.setTimeout(180_000);

describe('a sandbox at Modal', () => {
  test('whose output is cut again and again gives every byte once', async () => {
    await using modal = await openModalTest();
    const expected = Array.from({ length: 100_000 }, (_, index) => `${index + 1}\n`).join('');
    const cuts = () => modal.double.calls.filter(({ outcome }) => outcome === 'UNAVAILABLE').length;
    // Every stream of every launcher, as often as it is resumed.
    modal.double.inject({ fault: 'cut', method: 'TaskExecStdioRead', afterBytes: 30_001, times: 60 });
    await using sandbox = await modal.createBackend().open({ taskId: 'cut' });
    expect((await sandbox.run('seq 1 100000')).output === expected).toBe(true);
    expect(cuts()).toBeGreaterThan(5);
    modal.double.clearFaults();
    const output = { method: 'TaskExecStdioRead', requestIncludes: '"file_descriptor":0' };
    for (const afterBytes of [0, 1, 70_000, 200_001]) modal.double.inject({ fault: 'cut', ...output, afterBytes });
    const before = cuts();
    const apart = await sandbox.run('seq 1 100000; echo wrong >&2', { mergeStderr: false });
    expect(apart.output === expected && apart.stderr === 'wrong\n').toBe(true);
    expect(cuts()).toBeGreaterThanOrEqual(before + 3);
  });

  test('that is lost in mid-command says so, and so does everything after', async () => {
    await using modal = await openModalTest();
    await using sandbox = await modal.createBackend().open({ taskId: 'lost' });
    const background = await sandbox.spawn('sleep 600');
    const heard = Promise.withResolvers<void>();
    const running = sandbox.run('echo ready; sleep 600', { onOutput: () => heard.resolve() });
    await heard.promise;
    const lost = expect(running).rejects.toMatchObject({ code: 'sandbox.lost', phase: 'exec', started: true });
    await modal.double.lose(modal.double.sandboxes[0]?.id ?? '');
    await lost;
    expect(await background.wait()).toMatchObject({ exitCode: 137 });
    await expect(sandbox.run('true')).rejects.toMatchObject({ code: 'sandbox.lost' });
    await expect(sandbox.readFile('/etc/passwd')).rejects.toMatchObject({ code: 'sandbox.lost' });
    expect(await sandbox.ping()).toBe(false);
  });

  test('whose connection is lost is not taken for one that is gone: the command is ended and told as lost', async () => {
    await using modal = await openModalTest();
    modal.double.inject({ fault: 'cut', method: 'TaskExecStdioRead', afterBytes: 20_000, status: 'DATA_LOSS' });
    await using sandbox = await modal.createBackend().open({ taskId: 'cut-off' });
    await expect(sandbox.run('seq 1 100000; sleep 4713')).rejects.toMatchObject({
      code: 'sandbox.connection-lost',
      started: true,
    });
    const left = await sandbox.run("grep -slE '^sleep.4713' -a /proc/[0-9]*/cmdline | wc -l");
    expect(left.output).toBe('0\n');
  });

  test('is of use after a time in which nothing happened, whatever connections the SDK gives up', async () => {
    await using modal = await openModalTest();
    process.env['MODAL_SANDBOX_CHANNEL_IDLE_TIMEOUT'] = '0.05';
    try {
      await using sandbox = await modal.createBackend().open({ taskId: 'idle' });
      for (const word of ['one', 'two', 'three']) {
        await new Promise((resolve) => setTimeout(resolve, 150));
        expect((await sandbox.run(`echo ${word}`)).output).toBe(`${word}\n`);
      }
    } finally {
      delete process.env['MODAL_SANDBOX_CHANNEL_IDLE_TIMEOUT'];
    }
  });

  test('never hands a time limit to the SDK, and keeps the output of a command that takes too long', async () => {
    await using modal = await openModalTest();
    await using sandbox = await modal.createBackend().open({ taskId: 'deadline' });
    modal.double.inject({ fault: 'status', method: 'TaskExecWait', status: 'DEADLINE_EXCEEDED', times: 2 });
    expect(await sandbox.run('echo kept; sleep 600', { timeoutMs: 500 })).toMatchObject({
      kind: 'timed-out',
      output: 'kept\n',
    });
    expect((await sandbox.run('echo usable')).output).toBe('usable\n');
    const limits = modal.double.calls.filter(({ method }) => method === 'TaskExecStart');
    expect(limits.map(({ request }) => request['timeout_secs']).every((limit) => limit === 0)).toBe(true);
  });

  test('bears with a router that is away or asks for the token again', async () => {
    await using modal = await openModalTest();
    await using sandbox = await modal.createBackend().open({ taskId: 'shaky' });
    for (const status of ['UNAVAILABLE', 'UNAUTHENTICATED'] as const) {
      for (const method of ['TaskExecStart', 'TaskExecStdioRead', 'TaskExecStdinWrite', 'TaskExecWait']) {
        modal.double.inject({ fault: 'status', method, status });
      }
      expect((await sandbox.run('cat', { stdin: 'input' })).output).toBe('input');
      expect((await sandbox.run('wc -c', { isStateless: true, stdin: Buffer.alloc(3_000_000) })).output).toBe(
        '3000000\n',
      );
    }
  });

  test('shows no variable of this machine', async () => {
    await using modal = await openModalTest();
    if (modal.double.isolation !== 'namespace') return;
    process.env['TALARIA_TEST_SECRET'] = 'do-not-tell';
    const environment = { ...process.env, OPENAI_API_KEY: 'do-not-tell', HANDED_ON: 'handed-on' };
    const backend = modal.createBackend({ environment, passthrough: ['HANDED_ON'] });
    await using sandbox = await backend.open({ taskId: 'secrets' });
    const seen = await sandbox.run(
      'env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr "\\0" "\\n"; cat /proc/mounts',
    );
    expect(seen.output).toContain('HANDED_ON=handed-on');
    for (const secret of ['do-not-tell', 'as-double', 'MODAL_TOKEN', modal.stateFolder]) {
      expect(seen.output).not.toContain(secret);
    }
  });

  test('loses with killAll what it started, and nothing of Modal’s', async () => {
    await using modal = await openModalTest();
    if (modal.double.isolation !== 'namespace') return;
    await using sandbox = await modal.createBackend().open({ taskId: 'kill-all' });
    const client = new ModalClient({ logLevel: 'error' });
    const seen = await client.sandboxes.fromName('talaria', sandbox.id);
    try {
      const foreign = await seen.exec(['sleep', '4711']);
      const own = await sandbox.spawn('sleep 600');
      await sandbox.run('env -i setsid sleep 4712 >/dev/null 2>&1 & echo');
      await sandbox.killAll();
      expect(await own.wait()).not.toBeNull();
      const left = await sandbox.run(
        "tr '\\0' ' ' </dev/null; grep -slE '^sleep.471[12]' -a /proc/[0-9]*/cmdline | wc -l",
      );
      expect(left.output).toBe('1\n');
      await foreign.closeStdin();
    } finally {
      seen.detach();
    }
  });

  test('takes 64 commands and 64 stateless ones at once', async () => {
    await using modal = await openModalTest();
    await using sandbox = await modal.createBackend().open({ taskId: 'many-calls' });
    const numbers = Array.from({ length: 64 }, (_, number) => number);
    const results = await Promise.all([
      ...numbers.map((number) => sandbox.run(`echo ${number}`)),
      ...numbers.map((number) => sandbox.run(`echo ${number}`, { isStateless: true })),
    ]);
    expect(results.map(({ output }) => output)).toEqual([...numbers, ...numbers].map((number) => `${number}\n`));
  });

  test('holds back who writes faster than the program reads, and refuses what nobody reads', async () => {
    await using modal = await openModalTest();
    await using sandbox = await modal.createBackend().open({ taskId: 'input' });
    const slow = await sandbox.spawn('until [ -e ~/go ]; do sleep 0.02; done; sha256sum');
    const bytes = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => (index * 7) & 255));
    let isTaken = false;
    const writing = slow.write(bytes).then(() => {
      isTaken = true;
    });
    await sandbox.run('true');
    expect(isTaken).toBe(false);
    await sandbox.writeFile('~/go', '');
    await writing;
    await slow.closeStdin();
    expect(await slow.wait()).toMatchObject({ exitCode: 0 });
    await sandbox.writeFile('~/same', bytes);
    const sum = (await sandbox.run('sha256sum <same')).output;
    expect(Buffer.from((await slow.readOutput(0)).bytes).toString()).toBe(sum);
    const deaf = await sandbox.spawn('exit 0');
    await deaf.wait();
    await expect(deaf.write('x')).rejects.toMatchObject({ code: 'sandbox.stdin-closed' });
  });
});

describe('images', () => {
  test('a snapshot keeps the files, and a sandbox of it has them', async () => {
    await using modal = await openModalTest();
    const backend = modal.createBackend();
    let image = '';
    {
      await using sandbox = await backend.open({ taskId: 'snapshot' });
      await sandbox.run(
        'mkdir -p /project; echo kept >/project/file; chmod 751 /project/file; ln -s file /project/link',
      );
      image = (await sandbox.snapshot?.()) ?? '';
      await sandbox.run('echo changed >/project/file');
    }
    expect(image).toMatch(/^im-/);
    expect(modal.double.calls.find(({ method }) => method === 'TaskSnapshotFilesystem')?.request).toMatchObject({
      ttl_seconds: -1,
    });
    await using restored = await backend.open({ taskId: 'restored', image });
    expect((await restored.run('cat /project/link; stat -c %a /project/file')).output).toBe('kept\n751\n');
  });

  test('a snapshot holds no variable and nothing of what Talaria keeps in a sandbox', async () => {
    await using modal = await openModalTest();
    const backend = modal.createBackend();
    let image = '';
    {
      await using sandbox = await backend.open({ taskId: 'secrets', env: { OF_TASK: 'very-secret-1' } });
      await sandbox.run('export OF_COMMAND=very-secret-2', { stdin: 'given' });
      const running = sandbox.run('until [ -e /go ]; do sleep 0.1; done; echo $OF_TASK $OF_COMMAND');
      image = (await sandbox.snapshot?.()) ?? '';
      await sandbox.writeFile('/go', '');
      expect(await running).toMatchObject({ output: 'very-secret-1 very-secret-2\n' });
    }
    await using restored = await backend.open({ taskId: 'restored', image });
    const search = `find / -xdev -name '.talaria*' 2>/dev/null; grep -rls 'very-secre[t]' /tmp /root /home /var/tmp; true`;
    expect(await restored.run(search)).toMatchObject({ kind: 'exited', output: '' });
  });

  test('a snapshot that is over is told, and nothing else is taken in its place', async () => {
    const clock = createManualClock();
    await using modal = await openModalTest({ clock });
    const backend = modal.createBackend({ snapshotLifetimeMs: 60_000 });
    let image = '';
    {
      await using sandbox = await backend.open({ taskId: 'snapshot' });
      image = (await sandbox.snapshot?.()) ?? '';
      await using _restored = await backend.open({ taskId: 'in-time', image });
    }
    await clock.advance(60_000);
    const missing = { code: 'config.missing-image', message: expect.stringContaining(image) };
    // It is known from before, and found to be gone only by the creation; from then on it is not known any more.
    await expect(backend.open({ taskId: 'too-late', image })).rejects.toMatchObject(missing);
    await expect(backend.open({ taskId: 'too-late', image })).rejects.toMatchObject(missing);
    await expect(backend.open({ taskId: 'never', image: 'im-none' })).rejects.toMatchObject({
      code: 'config.missing-image',
    });
  });

  test('an abort while a snapshot is made leaves none', async () => {
    await using modal = await openModalTest();
    await using sandbox = await modal.createBackend().open({ taskId: 'snapshot' });
    const controller = new AbortController();
    const reason = new Error('stop');
    const saving = sandbox.snapshot?.({ signal: controller.signal });
    await modal.double.whenCalls('TaskSnapshotFilesystem', 1);
    controller.abort(reason);
    await expect(saving).rejects.toBe(reason);
    await modal.double.whenCalls('ImageDelete', 1);
  });

  test('are built once for all that ask, and extended by the commands of the setup', async () => {
    await using modal = await openModalTest();
    const backend = modal.createBackend({ setupCommands: ['RUN echo prepared >/prepared'] });
    const opened = await Promise.all(['a', 'b', 'c'].map((taskId) => backend.open({ taskId })));
    for (const sandbox of opened) {
      expect((await sandbox.run('cat /prepared')).output).toBe('prepared\n');
      await sandbox[Symbol.asyncDispose]();
    }
    expect(modal.count('ImageGetOrCreate')).toBe(2);
  });

  test('that cannot be built are told with the end of their log', async () => {
    await using modal = await openModalTest();
    const logLines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`);
    modal.double.inject({ fault: 'build', logLines, message: 'No such package' });
    const backend = modal.createBackend();
    const failure = await backend.open({ taskId: 'broken' }).then(
      () => null,
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ code: 'sandbox.build-failed', retryable: false });
    const { message } = failure as Error;
    expect(message).toContain('debian:12');
    expect(message).toContain('No such package');
    expect(message.split('\n').slice(-20)).toEqual(logLines.slice(10));
    await using sandbox = await backend.open({ taskId: 'mended' });
    expect(await sandbox.ping()).toBe(true);
  });

  test('whose build was given up are not waited for', async () => {
    await using modal = await openModalTest();
    modal.double.inject({ fault: 'silence', method: 'ImageJoinStreaming' });
    const controller = new AbortController();
    const opening = modal.createBackend().open({ taskId: 'given-up' }, { signal: controller.signal });
    await modal.double.whenCalls('ImageJoinStreaming', 1);
    controller.abort();
    await expect(opening).rejects.toBe(controller.signal.reason);
    await cancelled(modal, 'ImageJoinStreaming');
  });

  test('are all proved by the preflight, which tells of all that are wrong at once', async () => {
    await using modal = await openModalTest();
    const backend = modal.createBackend();
    await backend.preflight();
    await backend.preflight({ mode: 'start', images: ['debian:12', 'debian:13'] });
    expect(modal.double.sandboxes).toHaveLength(2);
    modal.double.inject({ fault: 'build', message: 'No such image', times: 2 });
    const images = ['wrong:1', 'wrong:2', 'debian:12'];
    await expect(backend.preflight({ images })).rejects.toMatchObject({
      code: 'config.missing-image',
      message: expect.stringMatching(/^2 of 3 images.*wrong:1.*wrong:2/s),
    });
  });
});

describe('a sweep', () => {
  test('removes what a killed program left, and nothing of one that lives', async () => {
    await using modal = await openModalTest();
    const backend = modal.createBackend();
    await using living = await backend.open({ taskId: 'living' });
    const owner = startProgram(modal, 'modal-owner.ts');
    const [, id = ''] = await lineOf(owner, 'ready');
    expect(await backend.sweep()).toEqual({ removed: [], failed: [] });
    await killHard(owner);
    expect((await backend.list()).map(({ taskId, ownerState }) => [taskId, ownerState]).sort()).toEqual([
      ['living', 'alive'],
      ['owner', 'dead'],
    ]);
    const reports = await Promise.all([backend.sweep(), modal.createBackend().sweep()]);
    expect(reports.flatMap(({ removed }) => removed)).toContain(id);
    expect(reports.flatMap(({ failed }) => failed)).toEqual([]);
    expect(await modal.listEntries()).toEqual([living.id]);
    expect((await living.run('echo on')).output).toBe('on\n');
  });

  test('leaves what a machine of the same name uses alone, until its time is over', async () => {
    await using modal = await openModalTest();
    const backend = modal.createBackend();
    await using sandbox = await backend.open({ taskId: 'theirs' });
    const [view] = modal.double.sandboxes;
    const owner = await describeNamesake();
    const inner = await new ModalClient().sandboxes.fromId(view?.id ?? '');
    const disguise = async (expiresAt: number) => {
      const about = { name: sandbox.id, taskId: 'theirs', runId: undefined, createdAt: 1, owner, expiresAt };
      await inner.setTags(writeTags(about));
      await changeEntry(modal.stateFolder, sandbox.id, { owner, expiresAt });
    };
    await disguise(Date.now() + 3_600_000);
    expect((await backend.list()).map(({ ownerState }) => ownerState)).toEqual(['unknown']);
    expect(await backend.sweep()).toEqual({ removed: [], failed: [] });
    expect(await sandbox.ping()).toBe(true);
    await disguise(1);
    expect(await backend.sweep()).toEqual({ removed: [sandbox.id], failed: [] });
    inner.detach();
  });

  test('removes the entry of another boot whose sandbox is gone, once its time is over', async () => {
    await using modal = await openModalTest();
    const backend = modal.createBackend();
    const sandbox = await backend.open({ taskId: 'gone' });
    const path = join(modal.stateFolder, 'sandboxes', `${sandbox.id}.json`);
    const text = await readFile(path, 'utf8');
    await sandbox[Symbol.asyncDispose]();
    await writeFile(path, text);
    await changeEntry(modal.stateFolder, sandbox.id, { owner: await describeNamesake() });
    expect(await backend.sweep()).toEqual({ removed: [], failed: [] });
    expect(await modal.listEntries()).toEqual([sandbox.id]);
    await changeEntry(modal.stateFolder, sandbox.id, { expiresAt: 1 });
    expect(await backend.sweep()).toEqual({ removed: [], failed: [] });
    expect(await modal.listEntries()).toEqual([]);
  });

  test('removes what was being written when its writer died', async () => {
    await using modal = await openModalTest();
    const folder = join(modal.stateFolder, 'sandboxes');
    await mkdir(folder);
    await writeFile(join(folder, 'pending-00-1-left'), '');
    await utimes(join(folder, 'pending-00-1-left'), 0, 0);
    await modal.createBackend().sweep();
    expect(await modal.listEntries()).toEqual([]);
  });

  test('finds by its tags what was left without an entry', async () => {
    await using modal = await openModalTest();
    await using elsewhere = await openModalTest();
    Object.assign(process.env, modal.double.environment);
    const owner = startProgram(modal, 'modal-owner.ts', elsewhere.stateFolder);
    const [, id = ''] = await lineOf(owner, 'ready');
    await killHard(owner);
    expect(await modal.createBackend().sweep()).toEqual({ removed: [id], failed: [] });
    await modal.createBackend({ stateFolder: elsewhere.stateFolder }).sweep();
  });

  test.each([50, 200, 400, 600, 800, 1_200])(
    'removes what was left by a kill %i ms after the start',
    async (delayMs) => {
      await using modal = await openModalTest();
      const owner = startProgram(modal, 'modal-owner.ts');
      await lineOf(owner, 'starting');
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      await killHard(owner);
      // What was asked for before the kill may still be on its way into the double, which runs here.
      await new Promise((resolve) => setTimeout(resolve, 300));
      const creations = () => modal.double.calls.filter(({ method }) => method === 'SandboxCreateV2');
      while (creations().some(({ outcome }) => outcome === 'pending'))
        await new Promise((resolve) => setTimeout(resolve, 10));
      await modal.createBackend().sweep();
      await modal.whenEmpty();
    },
  );

  test('removes the entry of what was never made', async () => {
    await using modal = await openModalTest();
    modal.double.inject({ fault: 'silence', method: 'SandboxCreateV2' });
    const owner = startProgram(modal, 'modal-owner.ts');
    await modal.double.whenCalls('SandboxCreateV2', 1);
    await killHard(owner);
    expect(await modal.listEntries()).toHaveLength(1);
    expect(await modal.createBackend().sweep()).toEqual({ removed: [], failed: [] });
    expect(await modal.listEntries()).toEqual([]);
  });

  test('has nothing to do where there is no app', async () => {
    await using modal = await openModalTest();
    expect(await modal.createBackend().sweep()).toEqual({ removed: [], failed: [] });
    expect(await modal.createBackend().list()).toEqual([]);
  });

  test('tells what could not be removed', async () => {
    await using modal = await openModalTest();
    const owner = startProgram(modal, 'modal-owner.ts');
    const [, id = ''] = await lineOf(owner, 'ready');
    await killHard(owner);
    modal.double.inject({ fault: 'status', method: 'SandboxTerminateV2', status: 'FAILED_PRECONDITION' });
    expect(await modal.createBackend().sweep()).toMatchObject({ removed: [], failed: [{ name: id }] });
    expect(await modal.createBackend().sweep()).toEqual({ removed: [id], failed: [] });
  });
});

describe('the end', () => {
  test('of a program comes by itself once its sandbox is closed', async () => {
    await using modal = await openModalTest();
    const program = startProgram(modal, 'modal-once.ts');
    const ended = once(program, 'exit');
    let output = '';
    for await (const line of createInterface({ input: program.stdout! })) output += `${line}\n`;
    expect(output).toBe('done\nrunning\n');
    expect(await ended).toEqual([0, null]);
  });

  test('of a sandbox that cannot be removed keeps its entry, and does not throw', async () => {
    await using modal = await openModalTest();
    const sandbox = await modal.createBackend().open({ taskId: 'stubborn' });
    modal.double.inject({ fault: 'status', method: 'SandboxTerminateV2', status: 'FAILED_PRECONDITION' });
    await sandbox[Symbol.asyncDispose]();
    expect(await modal.listEntries()).toEqual([sandbox.id]);
    expect(modal.logger.entries.map(({ event }) => event)).toContain('sandbox.removal-failed');
    // It is still there, for whoever looks by its name.
    const client = new ModalClient({ logLevel: 'error' });
    await (await client.sandboxes.fromName('talaria', sandbox.id)).terminate();
    const { createSandboxLedger } = await import('../src/ledger/sandbox-ledger.ts');
    await createSandboxLedger(modal.stateFolder).remove(sandbox.id);
  });
});

function startProgram(modal: ModalTest, file: string, stateFolder = modal.stateFolder): ChildProcess {
  return spawn(
    process.execPath,
    ['--conditions=@talaria/source', join(import.meta.dirname, 'fixtures', file), stateFolder],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { PATH: process.env['PATH'], ...modal.double.environment } },
  );
}

async function lineOf(owner: ChildProcess, start: string): Promise<string[]> {
  for await (const line of createInterface({ input: owner.stdout! })) {
    if (line.startsWith(start)) return line.split(' ');
  }
  throw new Error(`The owner ended before it said ${start}`);
}

async function killHard(owner: ChildProcess): Promise<void> {
  const ended = once(owner, 'exit');
  owner.kill('SIGKILL');
  await ended;
}

async function cancelled(modal: ModalTest, method: string): Promise<void> {
  while (!modal.double.calls.some((call) => call.method === method && call.outcome === 'CANCELLED')) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
