import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { systemClock } from '@talaria/core';
import type { TerminalBackend } from '@talaria/terminal-backends';
import { createDaytonaBackend } from '@talaria/terminal-backends/daytona';
import { createLocalBackend } from '@talaria/terminal-backends/local';
import { createDaytonaDouble } from '@talaria/testing-services/daytona';
import { createFakeHost, type FakeHostOptions } from '../../test/fake-host.ts';
import { runProgram } from '../run-program.ts';

let cwd: string;
let stateFolder: string;
let local: TerminalBackend;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'talaria-sandboxes-'));
  stateFolder = join(cwd, 'state');
  local = createLocalBackend({ stateFolder, environment: process.env, killGraceMs: 50 });
});

afterEach(() => rm(cwd, { recursive: true, force: true }));

/** Starts the program on a machine where no backend but `local` is set up. */
function start(argv: readonly string[], options: FakeHostOptions = {}) {
  const variables = {
    PATH: process.env['PATH'] ?? '',
    TERMINAL_SANDBOX_DIR: stateFolder,
    DOCKER_HOST: `unix://${join(cwd, 'no-engine')}`,
    ...options.variables,
  };
  const host = createFakeHost({ ...options, argv: ['sandboxes', ...argv], cwd, homeFolder: cwd, variables });
  const manifestUrl = new URL('../../package.json', import.meta.url);
  const outcome = runProgram({ ...host, clock: systemClock }, { builtins: {}, manifestUrl }).then((exitCode) => ({
    exitCode,
    stdout: host.stdout.text,
    stderr: host.stderr.text,
  }));
  return { host, outcome };
}

function sandboxes(argv: readonly string[], options?: FakeHostOptions) {
  return start(argv, options).outcome;
}

/** The object that `--json` writes. */
async function report(argv: readonly string[], options?: FakeHostOptions) {
  const { exitCode, stdout } = await sandboxes([...argv, '--json'], options);
  const parsed = JSON.parse(stdout);
  expect(parsed.exit_code).toBe(exitCode);
  return parsed;
}

/** An entry of the ledger as a program left it, changed. */
async function addRecord(id: string, changes: object, owner: object = { startMark: '1' }): Promise<void> {
  await using sandbox = await local.open({ taskId: 'pattern' });
  const folder = join(stateFolder, 'sandboxes');
  const record = JSON.parse(await readFile(join(folder, `${sandbox.id}.json`), 'utf8'));
  const text = JSON.stringify({ ...record, id, taskId: id, ...changes, owner: { ...record.owner, ...owner } });
  await writeFile(join(folder, `${id}.json`), text);
}

async function recordsLeft(): Promise<readonly string[]> {
  return (await readdir(join(stateFolder, 'sandboxes'))).filter((name) => name.endsWith('.json'));
}

describe('ls', () => {
  test('shows what is in use and what is left over', async () => {
    await using sandbox = await local.open({ taskId: 'mine' });
    await addRecord('left', {});
    const { exitCode, stdout, stderr } = await sandboxes(['ls']);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^backend +id +task +owner +age +ends in +state$/m);
    expect(stdout).toMatch(
      new RegExp(`^local +${sandbox.id} +mine +alive \\(${process.pid}\\) +0:0\\d +(59:5\\d|1:00:00) +present$`, 'm'),
    );
    expect(stdout).toMatch(/^local +left +left +dead /m);
    expect(stdout).toContain('1 is left over from programs that have ended: talaria sandboxes sweep');
  });

  test('--json is one object', async () => {
    await using sandbox = await local.open({ taskId: 'mine' });
    expect(await report(['list'])).toMatchObject({
      reason: 'done',
      backends: ['local'],
      failed: [],
      sandboxes: [
        {
          id: sandbox.id,
          backend: 'local',
          task: 'mine',
          owner: { pid: process.pid },
          owner_state: 'alive',
          created_at: expect.stringMatching(/^\d{4}-.*Z$/),
          expires_at: expect.stringMatching(/^\d{4}-.*Z$/),
          state: 'present',
        },
      ],
    });
  });

  test('says so where there is none', async () => {
    expect(await sandboxes(['ls'])).toEqual({ exitCode: 0, stdout: 'No sandbox (asked: local).\n', stderr: '' });
  });

  test('words of others cannot act on the terminal', async () => {
    await addRecord('left', { taskId: 'a\u001B[2Jb\nc' });
    const { stdout } = await sandboxes(['ls']);
    expect(stdout).not.toContain('\u001B');
    expect(stdout).toMatch(/a \[2Jb c/);
  });

  test('a backend that is asked for and cannot be looked at is a failure', async () => {
    expect(await sandboxes(['ls', '--backend', 'daytona'])).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringMatching(/^error: daytona: .*DAYTONA_API_KEY.*\nhint: /),
    });
    expect(await report(['ls', '--backend', 'local,daytona'])).toMatchObject({
      reason: 'partial',
      exit_code: 3,
      backends: ['local'],
      failed: [{ backend: 'daytona', id: null, code: expect.any(String), is_expected: true }],
    });
  });

  test('so is one of which the ledger holds sandboxes, or that is configured', async () => {
    expect(await sandboxes(['ls'], { variables: { TERMINAL_ENV: 'docker' } })).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('no-engine'),
    });
    await addRecord('far-away', { backend: 'daytona' });
    expect(await sandboxes(['ls'])).toMatchObject({ exitCode: 3, stderr: expect.stringMatching(/^error: daytona: /) });
  });

  test('one that merely might have sandboxes is only told of', async () => {
    const variables = { DAYTONA_API_KEY: 'dtn-hush', DAYTONA_API_URL: 'http://127.0.0.1:1/api' };
    const { exitCode, stderr } = await sandboxes(['ls'], { variables });
    expect([exitCode, stderr]).toEqual([0, expect.stringMatching(/^warning: daytona: .*127\.0\.0\.1:1/)]);
    expect(stderr).not.toContain('hush');
  });

  test('a signal ends it', async () => {
    let isAsked = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    const silent = createServer(() => isAsked());
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const variables = { DAYTONA_API_KEY: 'k', DAYTONA_API_URL: `http://127.0.0.1:${port}/api` };
    const { host, outcome } = start(['ls', '--backend', 'daytona'], { variables });
    await asked;
    host.send('SIGINT');
    expect(await outcome).toMatchObject({ exitCode: 130, stdout: '' });
    expect(host.handlerCount).toBe(0);
    silent.closeAllConnections();
    await new Promise((resolve) => silent.close(resolve));
  });
});

describe('sweep', () => {
  test('removes what dead programs left, and nothing else', async () => {
    await using sandbox = await local.open({ taskId: 'mine' });
    await addRecord('left', {});
    await addRecord('foreign', { expiresAt: 0 }, { host: 'elsewhere' });
    expect(await sandboxes(['sweep'])).toEqual({ exitCode: 0, stdout: 'removed local left\n', stderr: '' });
    expect(await recordsLeft()).toEqual(['foreign.json', `${sandbox.id}.json`].sort());
    expect((await sandbox.run('echo alive')).output).toBe('alive\n');
    expect(await sandboxes(['prune'])).toMatchObject({ exitCode: 0, stdout: 'Nothing to remove (asked: local).\n' });
  });

  test('--older-than spares what is younger', async () => {
    await addRecord('old', { createdAt: Date.now() - 7_200_000 });
    await addRecord('young', { createdAt: Date.now() - 60_000 });
    expect(await report(['sweep', '--older-than', '1h'])).toMatchObject({
      removed: [{ backend: 'local', id: 'old' }],
      failed: [],
    });
    expect(await recordsLeft()).toEqual(['young.json']);
  });

  test.each([
    ['n\n', false],
    ['\n', false],
    ['', false],
    ['yes please\n', false],
    ['y\n', true],
    ['YES\r\n', true],
  ])('--all asks, and takes %j for what it is', async (answer, isMeant) => {
    await using sandbox = await local.open({ taskId: 'mine' });
    const { exitCode, stderr } = await sandboxes(['sweep', '--all'], {
      isTerminal: true,
      input: [Buffer.from(answer)],
    });
    expect(exitCode).toBe(0);
    expect(stderr).toContain('Remove 1 sandbox, 1 of them of programs that may be running? [y/N]');
    expect(await recordsLeft()).toEqual(isMeant ? [] : [`${sandbox.id}.json`]);
  });

  test('a signal at the question of --all ends it, and removes nothing', async () => {
    await using sandbox = await local.open({ taskId: 'mine' });
    const asked = Promise.withResolvers<void>();
    async function* input(): AsyncGenerator<Uint8Array> {
      asked.resolve();
      await new Promise(() => undefined);
    }
    const { host, outcome } = start(['sweep', '--all'], { isTerminal: true, input: input() });
    await asked.promise;
    host.send('SIGINT');
    expect(await outcome).toMatchObject({ exitCode: 130, stdout: '', stderr: expect.stringMatching(/\[y\/N\] \n$/) });
    expect([host.handlerCount, host.forcedExits]).toEqual([0, []]);
    expect(await recordsLeft()).toEqual([`${sandbox.id}.json`]);
  });

  test('--all removes nothing where nobody can be asked, unless that is said to be meant', async () => {
    await using sandbox = await local.open({ taskId: 'mine' });
    expect(await sandboxes(['sweep', '--all'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/config\.needs-confirmation[\s\S]*--yes/),
    });
    expect(await recordsLeft()).toEqual([`${sandbox.id}.json`]);
    expect(await report(['sweep', '--all', '--yes', '--backend', 'local'])).toMatchObject({
      removed: [{ backend: 'local', id: sandbox.id }],
    });
    expect(await recordsLeft()).toEqual([]);
  });

  test('--all does not ask about what is left over anyway', async () => {
    await addRecord('left', {});
    expect(await sandboxes(['sweep', '--all'])).toMatchObject({ exitCode: 0, stdout: 'removed local left\n' });
  });

  test('tells what it could not reach, and does the rest', async () => {
    await addRecord('left', {});
    const { exitCode, stdout, stderr } = await sandboxes(['sweep', '--backend', 'docker,local']);
    expect([exitCode, stdout]).toEqual([3, 'removed local left\n']);
    expect(stderr).toMatch(/^error: docker: .*no-engine/);
    expect(await sandboxes(['sweep', '--backend', 'docker'])).toMatchObject({ exitCode: 1, stdout: '' });
  });
});

test('sandboxes of a service are listed, removed one by one and swept, as the file configures it', async () => {
  await using double = await createDaytonaDouble();
  const variables = { THE_KEY: double.apiKey, TERMINAL_DAYTONA_IMAGE: 'debian:12-slim' };
  await writeFile(
    join(cwd, 'run.yaml'),
    `env: { my_field: 1 }\nterminal: { daytona: { api_url: "${double.apiUrl}", api_key: "\${THE_KEY}" } }\n`,
  );
  const service = createDaytonaBackend({
    stateFolder,
    environment: { DAYTONA_API_KEY: double.apiKey, DAYTONA_API_URL: double.apiUrl },
    image: 'debian:12-slim',
  });
  const flags = ['--backend', 'daytona', '--config', 'run.yaml'];
  await using sandbox = await service.open({ taskId: 'far' });
  expect(await report(['ls', ...flags], { variables })).toMatchObject({
    reason: 'done',
    sandboxes: [{ id: sandbox.id, backend: 'daytona', task: 'far', owner_state: 'alive', state: 'started' }],
  });
  expect(await report(['sweep', ...flags], { variables })).toMatchObject({ removed: [] });
  const all = await report(['sweep', '--all', '--yes', ...flags], { variables });
  expect(all).toMatchObject({ reason: 'done', removed: [{ backend: 'daytona', id: sandbox.id }], failed: [] });
  expect(double.sandboxes).toEqual([]);
});

describe('wrong usage', () => {
  test.each([
    [['lst'], /Did you mean ls\?/],
    [['--json'], /needs a command/],
    [['ls', 'more'], /"more" belongs to no flag/],
    [['ls', '--backend', 'dokcer'], /Did you mean docker\?/],
    [['sweep', '--older-than', '5'], /90s, 30m/],
    [['ls', '--all'], /belongs to sweep/],
    [['sweep', '--al'], /Unknown flag --al/],
    [['ls', '--config', 'nothing.yaml'], /nothing\.yaml/],
    [['ls', '--terminal.docker.netwrk', 'x'], /terminal\.docker\.network/],
  ])('%j is refused', async (argv, message) => {
    const { exitCode, stderr } = await sandboxes(argv);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  test('a backend that does not exist is one, wherever it is named', async () => {
    expect(await sandboxes(['ls'], { variables: { TERMINAL_ENV: 'dokcer' } })).toMatchObject({ exitCode: 2 });
  });

  test('help is there, asked for or needed', async () => {
    expect(await sandboxes(['--help'])).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('--older-than') });
    expect(await sandboxes([])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--older-than') });
  });
});
