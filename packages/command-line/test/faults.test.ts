import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { systemClock } from '@talaria/core';
import { defineEnvironment } from '@talaria/environments';
import { createScriptedServer } from '@talaria/testing-services';
import { runProgram } from '../src/run-program.ts';
import { createFakeHost, type FakeHostOptions } from './fake-host.ts';

/** A task that a command solves, for models of every kind. */
const sample = defineEnvironment({
  name: 'sample',
  isLocalSafe: true,
  configInit: () => ({ env: { enabled_toolsets: ['terminal'], group_size: 2, total_steps: 2 } }),
  items: [{ id: 'first' }, { id: 'second' }],
  formatPrompt: ({ id }) => `Write ${id} to ~/file.txt`,
  computeReward: async ({ id }, _result, { terminal }) =>
    (await terminal('cat ~/file.txt')).output.trim() === id ? 1 : 0,
  referenceTurns: ({ id }) => [
    { toolCalls: [{ name: 'terminal', arguments: { command: `echo ${id} > ~/file.txt` } }] },
    { content: 'Written.' },
  ],
});

let cwd: string;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'talaria-faults-'));
});

afterEach(() => rm(cwd, { recursive: true, force: true }));

interface Outcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function talaria(argv: readonly string[], options?: FakeHostOptions): Promise<Outcome> {
  return start(argv, options).outcome;
}

/** Starts the program inside this process; its host takes signals. */
function start(argv: readonly string[], options: FakeHostOptions = {}) {
  const variables = {
    PATH: process.env['PATH'] ?? '',
    TERMINAL_SANDBOX_DIR: join(cwd, 'state'),
    ...options.variables,
  };
  // Commands, connections and time-outs are real here.
  const host = createFakeHost({ ...options, argv, cwd, homeFolder: cwd, variables });
  const manifestUrl = new URL('../package.json', import.meta.url);
  const program = { builtins: { sample: async () => sample }, manifestUrl };
  const outcome = runProgram({ ...host, clock: systemClock }, program).then(
    (exitCode): Outcome => ({ exitCode, stdout: host.stdout.text, stderr: host.stderr.text }),
  );
  return { host, outcome };
}

test('a run without any fault shows its table and its paths, and leaves no sandbox', async () => {
  const { exitCode, stdout, stderr } = await talaria(['run', 'sample']);
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining('first #0: reward 1.000, 2 turns, completed')]);
  expect(stdout).toMatch(/^task +sample +reward/);
  expect(stdout).toContain('sample with scripted: mean reward 1.000 over 4 rollouts');
  expect(stdout).toMatch(/trajectories +data\/sample\.jsonl\n/);
  expect(stdout).toMatch(/run folder +runs\/sample\/\S+Z-\w{6}\n/);
  expect(await readdir(join(cwd, 'state', 'sandboxes'))).toEqual([]);
});

test('flags may stand before the environment and before the command', async () => {
  for (const argv of [
    ['--quiet', 'run', 'sample', '--steps', '1', '--json'],
    ['run', '--steps', '1', '--json', '--quiet', 'sample'],
  ]) {
    const { exitCode, stdout } = await talaria(argv);
    expect([exitCode, JSON.parse(stdout).rollouts.length]).toEqual([0, 2]);
  }
});

test('--rows rollout writes one line per trajectory', async () => {
  const { exitCode } = await talaria(['run', 'sample', '--rows', 'rollout', '--output', 'out', '--quiet']);
  const lines = (await readFile(join(cwd, 'out', 'sample.jsonl'), 'utf8')).trimEnd().split('\n');
  expect([exitCode, lines.map((line) => JSON.parse(line).reward)]).toEqual([0, [1, 1, 1, 1]]);
});

test('--quiet says nothing where nothing is wrong', async () => {
  expect(await talaria(['run', 'sample', '--model', 'scripted', '--quiet'])).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: '',
  });
});

test('--help shows the effective defaults of the environment', async () => {
  const { exitCode, stdout } = await talaria(['run', 'sample', '--help']);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/--group-size, --env\.group_size N[\s\S]*?\[default: 2\]/);
  expect(stdout).toMatch(/--allow-unknown/);
  expect(stdout).toMatch(/\["terminal"\]/);
  expect(stdout).not.toMatch(/--testing|--slurm|--env\.batch_size|--terminal\.docker/);
  expect(stdout).toMatch(/\d+ settings for later versions are not shown/);
});

test('--help with a backend shows the settings of that one, too', async () => {
  const { exitCode, stdout } = await talaria(['run', 'sample', '--backend', 'docker', '--help']);
  expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/--terminal\.docker\.pull missing\|always\|never/)]);
  expect(stdout).not.toMatch(/--terminal\.(ssh|modal|daytona|singularity)\./);
});

describe('an MCP server that does not start', () => {
  const broken = ['--tools.mcp_servers', '{"birds":{"command":"nosuch"}}'];

  test.each([
    ['terminal', 0, /^warning: tools\.server-left-out server=birds reason=.*nosuch/m],
    ['birds', 2, /^error: The MCP server birds cannot be used.*\[config\.mcp-server\]$/m],
    ['all', 2, /\[config\.mcp-server\]$/m],
  ])('where the toolset %s is asked for, ends with %d', async (toolset, expected, told) => {
    const { exitCode, stderr } = await talaria(['run', 'sample', '--steps', '1', '--toolsets', toolset, ...broken]);
    expect(stderr).toMatch(told);
    expect(exitCode).toBe(expected);
  });

  test('ends a run whose distribution could draw it', async () => {
    await writeFile(join(cwd, 'own.yaml'), 'name: own\ntoolsets: {terminal: 100, birds: 1}\n');
    const choice = ['--env.distribution', 'own.yaml'];
    const { exitCode, stderr } = await talaria(['run', 'sample', ...choice, ...broken]);
    expect(stderr).toContain('config.mcp-server');
    expect(exitCode).toBe(2);
  });
});

describe('what the user has to put right ends with 2, before anything runs', () => {
  test.each<[string, readonly string[], string, RegExp]>([
    ['unknown backend', ['--backend', 'dokcer'], 'config.unknown-backend', /Did you mean docker\?/],
    [
      'backend that is not there',
      ['--backend', 'docker', '--terminal.docker.host', 'unix:///nowhere/docker.sock'],
      'config.docker-unreachable',
      /terminal\.backend/,
    ],
    ['ssh without a server', ['--backend', 'ssh'], 'config.invalid', /TERMINAL_SSH_HOST/],
    ['service without a key', ['--backend', 'daytona'], 'config.missing-credentials', /DAYTONA_API_KEY/],
    [
      'secret in a flag',
      ['--backend', 'daytona', '--terminal.daytona.api_key', 'dtn_hush'],
      'config.literal-secret',
      /\$\{/,
    ],
    ['unknown toolset', ['--toolsets', 'terminl'], 'config.unknown-toolset', /terminal/],
    [
      'toolset that is not here',
      ['--toolsets', 'vision'],
      'config.toolset-unavailable',
      /tools\.vision_model[\s\S]*--allow-missing-tools/,
    ],
    ['unknown flag', ['--grop-size', '2'], 'config.unknown-flag', /--group-size/],
    [
      'unknown key of a server',
      ['--tools.mcp_servers', '{"birds":{"comand":"node"}}'],
      'config.invalid',
      /Did you mean command\?/,
    ],
    ['unknown parser', ['--parser', 'hermse'], 'config.unknown-parser', /hermes/],
    ['value of a wrong type', ['--group-size', 'many'], 'config.bad-flag', /--group-size/],
    ['value out of range', ['--group-size', '0'], 'config.', /group_size/],
    ['nothing to do', ['--steps', '0'], 'config.', /--steps/],
    ['stray word', ['twice', '--steps', '1'], 'config.stray-argument', /"twice"/],
    ['missing file', ['--config', 'none.yaml'], 'config.unreadable-file', /none\.yaml/],
    ['two folders', ['--output', 'a', '--resume', 'b'], 'config.conflict', /--resume/],
    ['literal key', ['--openai.api_key', 'sk-abcdefghijkl'], 'config.', /\$\{/],
  ])('%s', async (_title, flags, code, text) => {
    const { exitCode, stdout, stderr } = await talaria(['run', 'sample', ...flags]);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`[${code}`);
    expect(stderr).toMatch(text);
    expect(stderr).not.toContain('sk-abcdefghijkl');
    expect(await readdir(cwd)).not.toContain('data');
  });

  test('an environment whose import is missing', async () => {
    await writeFile(join(cwd, 'lacking.mjs'), 'export {};');
    const message = "Cannot find module 'nosuch-data'\nRequire stack:\n- /somewhere/lacking.mjs";
    const missing = Object.assign(new Error(message), { code: 'ERR_MODULE_NOT_FOUND' });
    const modules = { [pathToFileURL(join(cwd, 'lacking.mjs')).href]: missing };
    const { exitCode, stderr } = await talaria(['run', './lacking.mjs'], { modules });
    expect(stderr).toMatch(/'nosuch-data' \[task\.environment-not-loaded\]\nhint: {2}Install what it imports/);
    expect(exitCode).toBe(2);
  });

  test('a flag of the other command', async () => {
    const { exitCode, stderr } = await talaria(['eval', 'sample', '--steps', '1']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--steps is a flag of run; eval has --max-items')]);
  });

  test('a folder for state that cannot be one', async () => {
    await writeFile(join(cwd, 'a-file'), '');
    const variables = { TERMINAL_SANDBOX_DIR: '', XDG_STATE_HOME: join(cwd, 'a-file') };
    const { exitCode, stderr } = await talaria(['run', 'sample'], { variables });
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(/a-file[\s\S]*config\.bad-state-folder[\s\S]*XDG_STATE/),
    ]);
  });

  test.each<[string, string, RegExp]>([
    ['malformed YAML', 'env:\n  group_size: [1\n', /run\.yaml.*\d/],
    ['an unknown key', 'env:\n  grup_size: 2\n', /run\.yaml[\s\S]*group_size/],
    ['an unknown section', 'enviroment: {}\n', /enviroment/],
    ['a variable that is not set', `openai:\n  api_key: "\${NOT_SET}"\n`, /NOT_SET/],
  ])('%s', async (_title, yaml, text) => {
    await writeFile(join(cwd, 'run.yaml'), yaml);
    const { exitCode, stderr } = await talaria(['run', 'sample', '--config', 'run.yaml']);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(text);
    expect(stderr).toMatch(/hint:/);
  });

  test('an unknown key is a warning where that is asked for', async () => {
    await writeFile(join(cwd, 'run.yaml'), 'env:\n  grup_size: 2\n  total_steps: 1\n');
    const { exitCode, stderr } = await talaria(['run', 'sample', '--config', 'run.yaml', '--allow-unknown']);
    expect([exitCode, stderr]).toEqual([0, expect.stringMatching(/warning: .*grup_size/)]);
  });

  test('commands on this machine that nobody allowed', async () => {
    const unsafe = { ...sample, name: 'unsafe', isLocalSafe: false };
    const modules = { 'unsafe-environment': { environment: unsafe } };
    const refused = await talaria(['run', 'unsafe-environment'], { modules });
    expect([refused.exitCode, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/local-not-allowed[\s\S]*--allow-local/),
    ]);
    const allowed = await talaria(['run', 'unsafe-environment', '--allow-local', '--steps', '1'], { modules });
    expect([allowed.exitCode, allowed.stderr]).toEqual([0, expect.stringMatching(/warning: .*without a container/)]);
  });
});

describe('model endpoints', () => {
  const flags = ['run', 'sample', '--model', 'some', '--steps', '1', '--group-size', '1', '--json'];

  test('a wrong key says so, and names the variable', async () => {
    await using server = await createScriptedServer({ apiKey: 'the-right-key' });
    const variables = { OPENAI_BASE_URL: server.baseUrl, OPENAI_API_KEY: 'a-very-wrong-key' };
    const { exitCode, stdout, stderr } = await talaria(flags, { variables });
    expect([exitCode, JSON.parse(stdout).reason]).toEqual([1, 'failed']);
    expect(stderr).toMatch(/401/);
    expect(stdout + stderr).toMatch(/OPENAI_API_KEY/);
    expect(stdout + stderr).not.toContain('a-very-wrong-key');
  });

  test('an unreachable endpoint says which', async () => {
    const closed = await createScriptedServer();
    await closed[Symbol.asyncDispose]();
    const variables = { OPENAI_BASE_URL: closed.baseUrl };
    const { exitCode, stdout, stderr } = await talaria([...flags, '--openai.timeout', '1'], { variables });
    expect([exitCode, JSON.parse(stdout).reason]).toEqual([1, 'failed']);
    expect(stdout + stderr).toContain(closed.origin);
  });

  test('a server that plays the reference through tool calls earns the reward', async () => {
    await using server = await createScriptedServer({
      script: (request, index) =>
        index === 0
          ? { toolCalls: [{ name: 'terminal', arguments: '{"command":"echo first > ~/file.txt"}' }] }
          : { content: `Done after ${JSON.stringify(request.body?.['messages']).length} characters.` },
    });
    const variables = { OPENAI_BASE_URL: server.baseUrl, OPENAI_API_KEY: 'any' };
    const { exitCode, stdout } = await talaria(flags, { variables });
    expect([exitCode, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ model: 'some', mean_reward: 1 })]);
  });
});

test('a key that a command prints reaches neither the model nor the disk', async () => {
  await using server = await createScriptedServer({
    apiKey: 'sk-of-this-test-0123',
    script: (_request, index) =>
      index === 0
        ? { toolCalls: [{ name: 'terminal', arguments: '{"command":"echo \\"key: $OPENAI_API_KEY\\""}' }] }
        : { content: 'Done.' },
  });
  const variables = { OPENAI_BASE_URL: server.baseUrl, OPENAI_API_KEY: 'sk-of-this-test-0123' };
  const handOn = ['--terminal.env_passthrough', 'OPENAI_API_KEY', '--terminal.allow_secret_env', 'OPENAI_API_KEY'];
  const flags = ['--model', 'some', '--steps', '1', '--group-size', '1', '--output', 'out', ...handOn];
  const { stdout, stderr } = await talaria(['run', 'sample', ...flags], { variables });
  expect(JSON.stringify(server.requests[1]?.body)).toContain('key: [redacted:OPENAI_API_KEY]');
  const entries = await readdir(join(cwd, 'out'), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  expect(texts.filter((text) => text.includes('[redacted:OPENAI_API_KEY]')).length).toBeGreaterThan(1);
  expect([stdout, stderr, ...texts].filter((text) => text.includes('sk-of-this-test-0123'))).toEqual([]);
});

describe('folders', () => {
  test('one that cannot be written', async () => {
    await writeFile(join(cwd, 'file'), '');
    const { exitCode, stderr } = await talaria(['run', 'sample', '--output', 'file/below']);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/file\/below/);
    expect(stderr).toMatch(/hint:/);
  });

  test('a state folder that cannot be made', async () => {
    await writeFile(join(cwd, 'file'), '');
    const variables = { TERMINAL_SANDBOX_DIR: join(cwd, 'file', 'state') };
    const { exitCode, stderr } = await talaria(['run', 'sample', '--output', 'out'], { variables });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/file\/state/);
    expect(stderr).toMatch(/hint:/);
    expect(await readdir(cwd)).toEqual(['file']);
  });

  test.each<[string, readonly string[], Record<string, string>]>([
    ['a flag', ['--terminal.state_dir', 'boxes'], {}],
    ['a variable', [], { TERMINAL_SANDBOX_DIR: 'boxes' }],
    ['a flag, whatever the variable says', ['--terminal.state_dir', 'boxes'], { TERMINAL_SANDBOX_DIR: '/dev/null/x' }],
  ])('a state folder that %s names is used', async (_title, flags, variables) => {
    const { exitCode } = await talaria(['run', 'sample', '--steps', '1', ...flags], { variables });
    expect(exitCode).toBe(0);
    expect(await readdir(join(cwd, 'boxes', 'sandboxes'))).toEqual([]);
  });

  test('a run folder without a name', async () => {
    for (const flag of ['--output=', '--resume=']) {
      const { exitCode, stderr } = await talaria(['run', 'sample', flag]);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining('needs the name of a folder, and it is empty')]);
    }
    expect(await readdir(cwd)).toEqual([]);
  });

  test('a configuration file that never ends', async () => {
    const { exitCode, stderr } = await talaria(['run', 'sample', '--config', '/dev/zero']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('[config.file-too-large]')]);
  });

  test('one that another run uses', async () => {
    await using server = await createScriptedServer({ script: () => ({ fault: 'silence' }) });
    const variables = { OPENAI_BASE_URL: server.baseUrl, OPENAI_API_KEY: 'any' };
    const first = start(['run', 'sample', '--model', 'some', '--output', 'out'], { variables });
    await server.whenRequests(1);
    const second = await talaria(['run', 'sample', '--model', 'some', '--resume', 'out'], { variables });
    expect([second.exitCode, second.stderr]).toEqual([2, expect.stringMatching(/out[\s\S]*in use[\s\S]*hint:/)]);
    first.host.send('SIGINT');
    expect((await first.outcome).exitCode).toBe(130);
  });

  test('one that holds a finished run is not written over', async () => {
    await talaria(['run', 'sample', '--output', 'out', '--quiet']);
    const { exitCode, stderr } = await talaria(['run', 'sample', '--output', 'out']);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/out[\s\S]*hint:.*--resume .*out/)]);
  });

  test('resuming a run that is finished does nothing again', async () => {
    await talaria(['run', 'sample', '--output', 'out', '--quiet']);
    const { exitCode, stdout } = await talaria(['run', 'sample', '--resume', 'out', '--json']);
    const report = JSON.parse(stdout);
    expect([exitCode, report.rollouts.length]).toEqual([0, 4]);
    expect(report.rollouts.every((rollout: { is_resumed: boolean }) => rollout.is_resumed)).toBe(true);
  });

  test('resuming a run whose folder nobody chose goes on in the file that it began', async () => {
    const flags = ['run', 'sample', '--model', 'scripted', '--quiet', '--group-size', '1'];
    expect((await talaria([...flags, '--steps', '1'])).exitCode).toBe(0);
    const [name = ''] = await readdir(join(cwd, 'runs', 'sample'));
    const { exitCode, stderr } = await talaria([...flags, '--steps', '2', '--resume', join('runs', 'sample', name)]);
    expect([exitCode, stderr]).toEqual([0, '']);
    const lines = (await readFile(join(cwd, 'data', 'sample.jsonl'), 'utf8')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).meta.item_id)).toEqual(['first', 'second']);
    expect(await readdir(join(cwd, 'data'))).toEqual(['sample.html', 'sample.jsonl']);
  });

  test('resuming an evaluation whose folder was moved writes its results where it is now', async () => {
    const flags = ['eval', 'sample', '--model', 'scripted', '--quiet'];
    expect((await talaria([...flags, '--output', 'before'])).exitCode).toBe(0);
    await rename(join(cwd, 'before'), join(cwd, 'after'));
    const { exitCode, stderr } = await talaria([...flags, '--resume', 'after']);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(await readdir(cwd)).not.toContain('before');
  });

  test('resuming where there is no run yet begins one, and says so', async () => {
    await mkdir(join(cwd, 'empty'));
    const { exitCode, stderr } = await talaria(['run', 'sample', '--resume', 'empty', '--steps', '1']);
    expect([exitCode, stderr]).toEqual([0, expect.stringMatching(/No run to resume in .*empty/)]);
  });

  test('resuming where no folder is is refused, with the way to begin one', async () => {
    const { exitCode, stderr } = await talaria(['run', 'sample', '--resume', 'absent']);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/absent does not exist[\s\S]*--output .*absent/)]);
    expect(await readdir(cwd)).toEqual([]);
  });

  test('--resume alone goes on with the settings that the run was begun with', async () => {
    const flags = ['--model', 'scripted', '--group-size', '3', '--env.system_prompt', `Costs $5, \${x}`];
    const first = await talaria(['run', 'sample', ...flags, '--steps', '1', '--output', 'out', '--quiet'], {
      variables: { TALARIA_ENV_MAX_AGENT_TURNS: '7' },
    });
    expect(first).toMatchObject({ exitCode: 0, stderr: '' });
    const again = await talaria(['run', 'sample', '--resume', 'out', '--steps', '2', '--json', '--quiet'], {
      variables: { TALARIA_ENV_MAX_AGENT_TURNS: '9', TERMINAL_TIMEOUT: '77' },
    });
    expect(again).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(again.stdout).rollouts).toHaveLength(6);
    const { config } = JSON.parse(await readFile(join(cwd, 'out', 'manifest.json'), 'utf8'));
    expect(config.env).toMatchObject({ group_size: 3, max_agent_turns: 7, system_prompt: `Costs $5, \${x}` });
    const other = await talaria(['run', 'sample', '--resume', 'out', '--group-size', '4']);
    expect(other).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('env.group_size was 3, now 4') });
  });

  test('an interrupted run says how to go on, and goes on like that', async () => {
    await using server = await createScriptedServer({ script: () => ({ fault: 'silence' }) });
    const variables = { OPENAI_BASE_URL: server.baseUrl, OPENAI_API_KEY: 'any' };
    const first = start(['run', 'sample', '--model', 'some', '--output', 'out', '--json'], {
      variables,
      programName: 'npm run talaria --',
    });
    await server.whenRequests(1);
    first.host.send('SIGINT');
    first.host.send('SIGINT');
    const { exitCode, stdout, stderr } = await first.outcome;
    expect([exitCode, stderr]).toEqual([
      130,
      expect.stringContaining('resume with: npm run talaria -- run sample --resume out\n'),
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ resume_command: 'npm run talaria -- run sample --resume out' });
    await using answering = await createScriptedServer({ apiKey: 'another' });
    const flags = ['--base-url', answering.baseUrl, '--json'];
    const again = await talaria(['run', 'sample', '--resume', 'out', ...flags], {
      variables: { OPENAI_API_KEY: 'another' },
    });
    expect([again.exitCode, JSON.parse(again.stdout)]).toEqual([0, expect.objectContaining({ model: 'some' })]);
  });

  test('a server of one model needs no name of it; one of several is told apart', async () => {
    await using single = await createScriptedServer({ models: ['only'] });
    const report = await talaria(['run', 'sample', '--base-url', single.baseUrl, '--json', '--output', 'out']);
    expect([report.exitCode, JSON.parse(report.stdout).model]).toEqual([0, 'only']);
    expect(report.stderr).toContain('only is the only one that the server offers');
    const { config } = JSON.parse(await readFile(join(cwd, 'out', 'manifest.json'), 'utf8'));
    expect(config.openai.model_name).toBe('only');
    await using several = await createScriptedServer({ models: Array.from({ length: 12 }, (_, n) => `model-${n}`) });
    const refused = await talaria(['run', 'sample', '--base-url', several.baseUrl]);
    expect(refused).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/model-9 and 2 more \[config\.missing-model\]\nhint:.*--model model-0/),
    });
  });

  test('a folder that holds something else is left alone', async () => {
    await mkdir(join(cwd, 'full'));
    await writeFile(join(cwd, 'full', 'thesis.txt'), 'precious');
    const { exitCode, stderr } = await talaria(['run', 'sample', '--output', 'full']);
    expect(exitCode).not.toBe(0);
    expect(stderr).toMatch(/full[\s\S]*hint:/);
    expect(await readdir(join(cwd, 'full'))).toEqual(['thesis.txt']);
  });
});
