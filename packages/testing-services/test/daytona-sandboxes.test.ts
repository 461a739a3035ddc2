import { readdir, readFile, stat } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { createManualClock } from '@talaria/core/testing';
import { openDaytona, readText } from './open-daytona.ts';

const minuteMs = 60_000;

describe('creating', () => {
  test('takes everything that the SDK sends, and tells the state back', async () => {
    await using open = await openDaytona();
    const sandbox = await open.daytona.create({
      ...{ image: 'debian:12-slim', name: 'task-1', user: 'root', envVars: { WORD: 'a b' } },
      ...{ labels: { talaria: '1' }, resources: { cpu: 2, memory: 4, disk: 5 } },
      ...{ autoStopInterval: 90, ephemeral: true, networkBlockAll: true, ttlMinutes: 30 },
    });
    expect(open.double.requests[0]?.body).toMatchObject({
      ...{ name: 'task-1', buildInfo: { dockerfileContent: 'FROM debian:12-slim\n' }, env: { WORD: 'a b' } },
      ...{ labels: { talaria: '1', 'code-toolbox-language': 'python' }, cpu: 2, memory: 4, disk: 5 },
      ...{ autoStopInterval: 90, autoDeleteInterval: 0, networkBlockAll: true, target: 'local', ttlMinutes: 30 },
    });
    expect(sandbox).toMatchObject({ name: 'task-1', state: 'started', user: 'root', cpu: 2, autoDeleteInterval: 0 });
    expect(await sandbox.getUserHomeDir()).toBe(open.double.isolation === 'namespace' ? '/root' : expect.anything());
  });

  test('gives programs the variables of the call, a path and a home, and nothing of the host', async () => {
    await using open = await openDaytona();
    const sandbox = await open.daytona.create({ image: 'debian:12', envVars: { WORD: 'a b' } });
    const { result } = await sandbox.process.executeCommand('env -u _ -u SHLVL -u PWD | cut -d= -f1 | sort | xargs');
    expect(result).toBe(open.double.isolation === 'namespace' ? 'HOME PATH WORD\n' : 'HOME PATH TMPDIR WORD\n');
    const first = await sandbox.process.executeCommand('tr "\\0" "\\n" </proc/1/environ | wc -l; cat /proc/1/comm');
    if (open.double.isolation === 'namespace') expect(first.result).toBe('0\nbash\n');
  });

  test('is asked about until it is over', async () => {
    await using open = await openDaytona({ faults: [{ fault: 'slow', on: 'POST /sandbox', durationMs: 250 }] });
    const sandbox = await open.create();
    expect(sandbox.state).toBe('started');
    const asked = open.double.requests.filter(({ route }) => route === 'GET /sandbox/{id}');
    expect(asked.length).toBeGreaterThan(1);
  });

  test('ends after the time that the caller gives it', async () => {
    await using open = await openDaytona({ faults: [{ fault: 'slow', on: 'POST /sandbox', durationMs: 60_000 }] });
    await expect(open.daytona.create({ image: 'debian:12' }, { timeout: 0.3 })).rejects.toMatchObject({
      name: 'DaytonaTimeoutError',
      message: expect.stringContaining('within 0.3 seconds'),
    });
    // It is left behind, as at the real service.
    expect(open.double.sandboxes.map(({ state }) => state)).toEqual(['pending_build']);
  });

  test('fails with the log of the build', async () => {
    const logs = ['#1 pulling debian:none', '#1 ERROR: not found'];
    await using open = await openDaytona({ faults: [{ fault: 'build-failed', logs }] });
    const heard: string[] = [];
    const create = open.daytona.create({ image: 'debian:none' }, { onSnapshotCreateLogs: (text) => heard.push(text) });
    await expect(create).rejects.toMatchObject({
      name: 'DaytonaError',
      message: expect.stringContaining('build_failed, error reason: #1 ERROR: not found'),
    });
    expect(heard.join('\n').split('\n')).toEqual(logs);
  });

  test('fails with a reason', async () => {
    await using open = await openDaytona({ faults: [{ fault: 'create-failed', reason: 'no runner is free' }] });
    await expect(open.create()).rejects.toThrow(/status: error, error reason: no runner is free/);
    expect(open.double.sandboxes).toHaveLength(1);
  });

  test('refuses a name that is taken', async () => {
    await using open = await openDaytona();
    await open.create('same');
    await expect(open.create('same')).rejects.toMatchObject({ name: 'DaytonaConflictError', statusCode: 409 });
  });

  test('needs the key', async () => {
    await using open = await openDaytona({}, { apiKey: 'wrong' });
    await expect(open.create()).rejects.toMatchObject({ name: 'DaytonaAuthenticationError', statusCode: 401 });
  });
});

describe('finding', () => {
  test('goes by id and by name', async () => {
    await using open = await openDaytona();
    const sandbox = await open.create('named');
    expect((await open.daytona.get('named')).id).toBe(sandbox.id);
    expect((await open.daytona.get(sandbox.id)).name).toBe('named');
    await expect(open.daytona.get('other')).rejects.toMatchObject({ name: 'DaytonaNotFoundError' });
  });

  test('goes by labels, page by page', async () => {
    await using open = await openDaytona();
    for (const [index, run] of ['a', 'b', 'a', 'a'].entries()) {
      await open.daytona.create({ image: 'debian:12', name: `s${index}`, labels: { run } });
    }
    const names: string[] = [];
    for await (const { name } of open.daytona.list({ labels: { run: 'a' }, limit: 2 })) names.push(name);
    expect(names).toEqual(['s0', 's2', 's3']);
    expect(open.double.requests.filter(({ route }) => route === 'GET /sandbox')).toHaveLength(2);
  });

  test('sees new labels', async () => {
    await using open = await openDaytona();
    const sandbox = await open.create('one');
    await sandbox.setLabels({ phase: 'two' });
    expect((await open.daytona.get('one')).labels).toEqual({ phase: 'two' });
  });
});

describe('stopping', () => {
  test('ends the programs and keeps the files', async () => {
    await using open = await openDaytona();
    const sandbox = await open.create();
    await sandbox.process.executeCommand('setsid sleep 4720 >/dev/null 2>&1 & echo kept >~/file');
    await sandbox.stop();
    expect(sandbox.state).toBe('stopped');
    expect(await commandLines()).not.toContainEqual(expect.stringContaining('sleep\u00004720'));
    await expect(sandbox.process.executeCommand('true')).rejects.toMatchObject({
      name: 'DaytonaValidationError',
      message: expect.stringContaining('Is the Sandbox started?'),
    });
    await sandbox.start();
    expect(await readText(sandbox, 'file')).toBe('kept\n');
  });

  test('comes before archiving, after which it can start again', async () => {
    await using open = await openDaytona();
    const sandbox = await open.create();
    await sandbox.process.executeCommand('echo kept >~/file');
    await expect(sandbox.archive()).rejects.toMatchObject({ statusCode: 400 });
    await sandbox.stop();
    await sandbox.archive();
    expect(sandbox.state).toBe('archived');
    await sandbox.start();
    expect(await readText(sandbox, 'file')).toBe('kept\n');
  });

  test('happens by itself when nobody used it for a while', async () => {
    const clock = createManualClock();
    await using open = await openDaytona({ clock });
    const sandbox = await open.daytona.create({ image: 'debian:12', autoStopInterval: 10 });
    await clock.advance(9 * minuteMs);
    await sandbox.process.executeCommand('true');
    await clock.advance(9 * minuteMs);
    await sandbox.refreshActivity();
    await clock.advance(9 * minuteMs);
    await sandbox.refreshData();
    expect(sandbox.state).toBe('started');
    await clock.advance(2 * minuteMs);
    await expect(sandbox.waitUntilStopped()).resolves.toBeUndefined();
  });

  test('never happens by itself with an interval of 0', async () => {
    const clock = createManualClock();
    await using open = await openDaytona({ clock });
    const sandbox = await open.create();
    await sandbox.setAutostopInterval(0);
    await clock.advance(10_000 * minuteMs);
    await sandbox.refreshData();
    expect(sandbox.state).toBe('started');
  });

  test('is followed by archiving and deleting, after their intervals', async () => {
    const clock = createManualClock();
    await using open = await openDaytona({ clock });
    const sandbox = await open.create('aging');
    await sandbox.setAutoArchiveInterval(20);
    await sandbox.setAutoDeleteInterval(60);
    await sandbox.stop();
    await clock.advance(21 * minuteMs);
    await sandbox.refreshData();
    expect(sandbox.state).toBe('archived');
    await clock.advance(40 * minuteMs);
    await expect(open.daytona.get('aging')).rejects.toMatchObject({ statusCode: 404 });
  });

  test('is the end of an ephemeral one', async () => {
    await using open = await openDaytona();
    const sandbox = await open.daytona.create({ image: 'debian:12', name: 'short', ephemeral: true });
    await sandbox.stop();
    expect(sandbox.state).toBe('destroyed');
    await expect(open.daytona.get('short')).rejects.toMatchObject({ statusCode: 404 });
  });

  test('does not matter to the time to live', async () => {
    const clock = createManualClock();
    await using open = await openDaytona({ clock });
    await open.daytona.create({ image: 'debian:12', name: 'brief', autoStopInterval: 0, ttlMinutes: 5 });
    await clock.advance(6 * minuteMs);
    await expect(open.daytona.get('brief')).rejects.toMatchObject({ statusCode: 404 });
  });
});

describe('deleting', () => {
  test('removes everything and is known at once', async () => {
    await using open = await openDaytona();
    const sandbox = await open.create('gone');
    const folder = open.double.sandboxes[0]?.folder ?? '';
    expect((await stat(folder)).isDirectory()).toBe(true);
    await sandbox.delete(60, true);
    expect(sandbox.state).toBe('destroyed');
    await expect(stat(folder)).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(sandbox.process.executeCommand('true')).rejects.toMatchObject({ name: 'DaytonaNotFoundError' });
    await expect(sandbox.delete()).rejects.toMatchObject({ statusCode: 404 });
  });
});

describe('the double', () => {
  test('leaves nothing when it is disposed of in the middle of everything', async () => {
    const open = await openDaytona();
    const sandbox = await open.create();
    const folder = open.double.sandboxes[0]?.folder ?? '';
    const pending = sandbox.process.executeCommand('setsid sleep 4721 & echo >~/up; sleep 4721');
    const failed = expect(pending).rejects.toMatchObject({ name: 'DaytonaConnectionError' });
    await sandbox.process.createSession('open');
    await sandbox.process.createPty({ id: 'open', onData: () => {} });
    await sandbox.process.executeCommand('for i in $(seq 500); do [ -f ~/up ] && break; sleep 0.01; done');
    await open[Symbol.asyncDispose]();
    await failed;
    expect(await commandLines()).not.toContainEqual(expect.stringContaining('sleep\u00004721'));
    await expect(stat(folder)).rejects.toMatchObject({ code: 'ENOENT' });
    await open.double[Symbol.asyncDispose]();
  });

  test('keeps sandboxes apart from each other and from the host', async () => {
    await using open = await openDaytona();
    if (open.double.isolation === 'folder') return;
    const [one, other] = [await open.create(), await open.create()];
    await one.process.executeCommand('for d in /tmp /root /home/daytona /var/tmp; do echo secret >$d/mine; done');
    const seen = await other.process.executeCommand(`ls /tmp /root /home/daytona /var/tmp; ls -d ${process.cwd()}`);
    expect(seen.result).not.toContain('mine');
    expect(seen.result).toContain('No such file');
    expect((await other.process.executeCommand('ls -d /proc/[0-9]* | wc -l')).result.trim()).toMatch(/^[1-6]$/);
    expect((await other.process.executeCommand('touch /usr/bin/x')).result).toContain('Read-only');
  });

  test('cuts a sandbox off from the network', async () => {
    await using open = await openDaytona();
    if (open.double.isolation === 'folder') return;
    const sandbox = await open.daytona.create({ image: 'debian:12', networkBlockAll: true });
    const { result } = await sandbox.process.executeCommand('tail -n +3 /proc/net/dev | cut -d: -f1 | xargs');
    expect(result).toBe('lo\n');
  });

  test('works with a folder alone', async () => {
    await using open = await openDaytona({ isolation: 'folder' });
    expect(open.double.isolation).toBe('folder');
    const sandbox = await open.create();
    const folder = open.double.sandboxes[0]?.folder ?? 'none';
    const home = await sandbox.getUserHomeDir();
    expect(home).toMatch(new RegExp(`^${folder}/`));
    await sandbox.fs.uploadFile(Buffer.from('here'), 'file');
    const { result } = await sandbox.process.executeCommand('cat ~/file; setsid sleep 4722 >/dev/null 2>&1 &');
    expect(result).toBe('here');
    await sandbox.process.createSession('in-folder');
    expect((await sandbox.process.executeSessionCommand('in-folder', { command: 'pwd' })).stdout).toBe(`${home}\n`);
    await sandbox.stop();
    expect(await commandLines()).not.toContainEqual(expect.stringContaining('sleep\u00004722'));
    await sandbox.start();
    expect(await readText(sandbox, 'file')).toBe('here');
  });
});

/** Command lines of everything that runs on this machine, sandboxes included. */
async function commandLines(): Promise<readonly string[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return Promise.all(names.map((name) => readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')));
}
