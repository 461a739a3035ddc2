import { describe, expect, test } from '@jest/globals';
import { type JsonObject, silentLogger } from '@talaria/core';
import { createManualClock } from '@talaria/core/testing';
import { createFakeBackend, createFakeSandbox } from '@talaria/terminal-backends/testing';
import { toSandboxSpec } from '../src/driver/rollout/sandbox-spec.ts';
import { createCountedPool } from '../src/driver/run/counted-pool.ts';
import {
  backendKinds,
  defaultImage,
  defineEnvironment,
  listKnownImages,
  type RunConfigSources,
  resolveRunConfig,
  resolveTerminalConfig,
} from '../src/index.ts';

function environmentOf(items: readonly JsonObject[]) {
  return defineEnvironment({
    name: 'images',
    items,
    formatPrompt: () => 'Do it.',
    computeReward: async () => 1,
  });
}

type Sources = Partial<RunConfigSources<JsonObject, never>>;

function resolve(sources: Sources = {}) {
  return resolveRunConfig({ environment: environmentOf([{ id: 'a' }]), driver: 'process', variables: {}, ...sources });
}

function terminal(sources: Sources = {}) {
  return resolve(sources).config.terminal;
}

function yaml(text: string) {
  return { text, fileName: 'run.yaml' };
}

describe('sections of the backends', () => {
  test.each([
    ['docker', { TERMINAL_DOCKER_VOLUMES: '["/data:/data:ro"]' }, { docker: { volumes: ['/data:/data:ro'] } }],
    ['docker', { TERMINAL_DOCKER_FORWARD_ENV: '["LANG"]' }, { env_passthrough: ['LANG'] }],
    ['docker', { TERMINAL_DOCKER_ENV: '{"A":"b"}' }, { env: { A: 'b' } }],
    ['docker', { TERMINAL_DOCKER_MOUNT_CWD_TO_WORKSPACE: 'true' }, { docker: { mount_cwd: true } }],
    ['docker', { TERMINAL_DOCKER_RUN_AS_HOST_USER: 'yes' }, { docker: { user: 'host' } }],
    ['docker', { TERMINAL_DOCKER_RUN_AS_HOST_USER: 'false' }, { docker: { user: null } }],
    ['docker', { TERMINAL_DOCKER_IMAGE: 'debian:12', TERMINAL_CONTAINER_CPU: '1.5' }, { image: 'debian:12', cpu: 1.5 }],
    [
      'ssh',
      { TERMINAL_SSH_HOST: 'h', TERMINAL_SSH_USER: 'u', TERMINAL_SSH_PORT: '2222', TERMINAL_SSH_KEY: '~/k' },
      { ssh: { host: 'h', user: 'u', port: 2222, key_path: '~/k' } },
    ],
    ['modal', { MODAL_TOKEN_ID: 'ak-1', TERMINAL_MODAL_IMAGE: 'a' }, { image: 'a', modal: { token_id: 'ak-1' } }],
    ['daytona', { TERMINAL_DAYTONA_IMAGE: 'a' }, { image: 'a' }],
    [
      'singularity',
      { TERMINAL_SINGULARITY_IMAGE: 'a.sif', TERMINAL_SCRATCH_DIR: '/s', TERMINAL_DISK_WARNING_GB: '10' },
      { image: 'a.sif', singularity: { scratch_dir: '/s', disk_warn_gb: 10 } },
    ],
  ])('%s is set by variables with the names that others have: %j', (backend, variables, expected) => {
    const extra = backend === 'ssh' ? { TERMINAL_SSH_HOST: 'h' } : {};
    expect(terminal({ variables: { TERMINAL_ENV: backend, ...extra, ...variables } })).toMatchObject(expected);
  });

  test.each([
    ['docker', 'TERMINAL_DOCKER_VOLUMES', '[1', /a list/],
    ['docker', 'TERMINAL_DOCKER_RUN_AS_HOST_USER', 'maybe', /true or false/],
    ['docker', 'TALARIA_TERMINAL_DOCKER_PULL', 'often', /missing, always, never/],
    ['ssh', 'TERMINAL_SSH_PORT', 'twenty', /a whole number/],
    ['singularity', 'TERMINAL_DISK_WARNING_GB', 'much', /a number/],
  ])('for %s, a wrong %s is told with its value; other backends do not read it', (backend, name, value, takes) => {
    const variables = { TERMINAL_SSH_HOST: 'h', [name]: value };
    expect(() => terminal({ variables, argv: ['--backend', backend] })).toThrow(
      expect.objectContaining({
        code: 'config.bad-variable',
        message: expect.stringContaining(JSON.stringify(value)),
      }),
    );
    expect(() => terminal({ variables, argv: ['--backend', backend] })).toThrow(
      expect.objectContaining({
        message: expect.stringContaining(name),
        hint: expect.stringMatching(takes),
      }),
    );
    expect(resolve({ variables }).warnings).toEqual([]);
    for (const other of backendKinds.filter((kind) => kind !== backend)) {
      expect(terminal({ variables, argv: ['--backend', other] }).backend).toBe(other);
    }
  });

  test('work in the file and in flags, with dashes too', () => {
    const file = yaml('terminal: {backend: docker, docker: {network: mine, host_config: {ShmSize: 1}}}');
    expect(
      terminal({
        yaml: file,
        argv: ['--terminal.docker.mount-cwd', '--terminal.docker.volumes', 'a:/a', '/b:/b:ro'],
      }).docker,
    ).toMatchObject({
      network: 'mine',
      host_config: { ShmSize: 1 },
      mount_cwd: true,
      volumes: ['a:/a', '/b:/b:ro'],
    });
    expect(() => terminal({ yaml: yaml('terminal: {docker: {netwrok: a}}') })).toThrow(/terminal\.docker\.network\?/);
  });

  test.each([
    [['--terminal.docker.volumes', '/a'], /SOURCE:\/TARGET.* \(it is "\/a", from flags\)/],
    [['--terminal.docker.volumes', '/a:b'], /SOURCE:\/TARGET/],
    [['--terminal.docker.volumes', '/a:/b:rx'], /SOURCE:\/TARGET/],
    [['--terminal.ssh.jump', 'a b'], /HOST/],
    [['--terminal.ssh.port', '70000'], /65535/],
    [['--terminal.warm', '-1'], /warm/],
  ])('%j is refused', (argv, message) => {
    expect(() => terminal({ argv })).toThrow(
      expect.objectContaining({ code: 'config.invalid', message: expect.stringMatching(message) }),
    );
  });

  test.each(['ssh.password', 'ssh.passphrase', 'modal.token_secret', 'daytona.api_key'])(
    'the secret %s stands only as the name of a variable, is redacted, and is never shown',
    (path) => {
      const variables = { THE_SECRET: 'hush-hush-1', TERMINAL_SSH_HOST: 'h' };
      const backend = path.split('.')[0] ?? '';
      const argv = ['--backend', backend, `--terminal.${path}`];
      expect(() => resolve({ variables, argv: [...argv, 'hush-hush-1'] })).toThrow(
        expect.objectContaining({ code: 'config.literal-secret', message: expect.not.stringContaining('hush') }),
      );
      const resolved = resolve({ variables, argv: [...argv, '$' + '{THE_SECRET}'] });
      expect(JSON.stringify(resolved.describe())).toContain('$' + '{THE_SECRET}');
      expect(JSON.stringify(resolved.describe())).not.toContain('hush');
      expect(resolved.secrets.map(({ name, reveal }) => [name, typeof reveal])).toEqual([['THE_SECRET', 'function']]);
    },
  );

  test('ssh needs a server', () => {
    expect(() => terminal({ argv: ['--backend', 'ssh'] })).toThrow(
      expect.objectContaining({ code: 'config.invalid', hint: expect.stringContaining('TERMINAL_SSH_HOST') }),
    );
  });
});

describe('the image', () => {
  test.each(['docker', 'modal', 'daytona', 'singularity'])('of %s has a default, below everything else', (backend) => {
    const argv = ['--backend', backend];
    expect(terminal({ argv }).image).toBe(defaultImage);
    expect(terminal({ argv: [...argv, '--image', 'mine'] }).image).toBe('mine');
    const own = { ...environmentOf([{ id: 'a' }]), configInit: () => ({ terminal: { image: 'its' } }) };
    expect(resolveRunConfig({ environment: own, driver: 'process', variables: {}, argv }).config.terminal.image).toBe(
      'its',
    );
  });

  test('has no effect, which is told, where sandboxes come from none', () => {
    expect(terminal().image).toBeNull();
    expect(resolve({ argv: ['--image', 'debian:12'] }).warnings).toEqual([
      expect.stringMatching(/terminal\.image has no effect: .* local/),
    ]);
  });

  const items = [{ image: 'a' }, { docker_image: 'b' }, { id: 'none' }, { image: 'a' }, { image: 'c' }];

  test.each([
    ['of the items that will be run', ['--steps', '3'], 'process' as const, undefined, ['a', 'b', defaultImage]],
    ['of all of them', [], 'process' as const, undefined, ['a', 'b', defaultImage, 'c']],
    ['of the first ones of an evaluation', [], 'evaluate' as const, 1, ['a']],
  ])('is known before a run: those %s', (_title, argv, driver, maxItems, expected) => {
    const environment = environmentOf(items);
    const sources = { environment, driver, variables: {}, argv: ['--backend', 'docker', ...argv] };
    const { config } = resolveRunConfig(sources);
    expect(listKnownImages(environment, { driver, config, maxItems })).toEqual(expected);
  });

  test('of items that are read later is not known: that of the configuration is', () => {
    const environment = { ...environmentOf(items), items: undefined, getNextItem: async () => items[0] ?? null };
    const { config } = resolveRunConfig({ environment, driver: 'process', variables: {}, argv: ['--backend=docker'] });
    expect(listKnownImages(environment, { driver: 'process', config })).toEqual([defaultImage]);
  });
});

describe('the spec of a sandbox', () => {
  const container = { ...createFakeSandbox().capabilities, images: true, network: 'controllable' as const };

  test('has the fields of the item over those of the configuration', () => {
    const config = terminal({ argv: ['--backend', 'docker', '--image', 'base', '--terminal.cpu', '1'] });
    const item = {
      docker_image: 'own',
      cwd: '/work',
      env: { A: 'b' },
      network: false,
      cpu: 2,
      memory_mb: 512,
      disk_mb: 1024,
    };
    expect(toSandboxSpec('task', item, config, container)).toMatchObject({
      image: 'own',
      cwd: '/work',
      env: { A: 'b' },
      allowNetwork: false,
      cpus: 2,
      memoryMiB: 512,
      diskMiB: 1024,
    });
    expect(toSandboxSpec('task', {}, config, container)).toMatchObject({ image: 'base', cpus: 1 });
  });

  test('is refused where an item asks for no network and gets one, unless that is allowed', () => {
    const fixed = createFakeSandbox().capabilities;
    const open = { ...fixed, network: 'fixed' as const };
    const refusal = expect.objectContaining({ code: 'config.local-not-allowed' });
    expect(() => toSandboxSpec('task', { network: false }, terminal(), open)).toThrow(refusal);
    const allowed = terminal({ argv: ['--allow-local'] });
    expect(toSandboxSpec('task', { network: false }, allowed, open)).toMatchObject({ allowNetwork: undefined });
  });
});

describe('the pool of a run', () => {
  test('hands on what its backend tells, and holds sandboxes ready where that is asked for', async () => {
    const fake = createFakeBackend();
    const backend = { ...fake, maxCreatesPerSecond: 5, list: async () => [] };
    const config = terminal({ argv: ['--terminal.warm', '2', '--terminal.cpu', '3'] });
    const clock = createManualClock();
    await using pool = createCountedPool({ backend, config, clock, logger: silentLogger });
    expect(pool.backend.list).toBe(backend.list);
    await clock.advance(1_000);
    expect(fake.specs.map(({ taskId, cpus }) => [taskId, cpus])).toEqual([
      ['warm', 3],
      ['warm', 3],
    ]);
    const { taskId: _taskId, ...spec } = toSandboxSpec('task', {}, config, backend.capabilities);
    await using lease = pool.lease({ taskId: 'task', ...spec });
    const opened = await lease.open();
    expect(fake.sandboxes.slice(0, 2)).toContain(opened);
  });

  test('shares the rate of creations with the pools of all runs on the same backend', async () => {
    const clock = createManualClock();
    const beganMs: number[] = [];
    const fake = createFakeBackend({
      open() {
        beganMs.push(clock.monotonicMs());
        return createFakeSandbox();
      },
    });
    const backend = { ...fake, maxCreatesPerSecond: 5 };
    const pools = Array.from({ length: 4 }, () =>
      createCountedPool({ backend, config: terminal(), clock, logger: silentLogger }),
    );
    const startedAtMs = clock.monotonicMs();
    const openings = pools.map((pool, index) => pool.lease({ taskId: `task-${index}` }).open());
    await clock.advance(1_000);
    await Promise.all(openings);
    expect(beganMs.map((atMs) => atMs - startedAtMs)).toEqual([0, 200, 400, 600]);
    expect(pools.map(({ createdCount }) => createdCount)).toEqual([1, 1, 1, 1]);
    for (const pool of pools) await pool[Symbol.asyncDispose]();
  });
});

describe('the section alone', () => {
  test('comes from the same sources, whatever else they say', () => {
    const { config, own, secrets } = resolveTerminalConfig({
      variables: {
        TERMINAL_ENV: 'docker',
        TERMINAL_TIMEOUT: '5',
        OPENAI_BASE_URL: 'http://nowhere/v1',
        TALARIA_ENV_GROUP_SIZE: '3',
        DAYTONA_API_KEY: 'key-of-daytona',
      },
      yaml: yaml('{env: {my_field: 1, terminal_timeout: 9}, terminal: {docker: {host: unix:///s}}}'),
      argv: ['--terminal.state_dir', '/state'],
    });
    expect(config).toMatchObject({
      backend: 'docker',
      timeout_sec: 9,
      state_dir: '/state',
      docker: { host: 'unix:///s' },
    });
    expect([own, secrets]).toEqual([{}, []]);
  });

  test('may be asked for as another backend reads it', () => {
    const variables = { TERMINAL_ENV: 'docker', TERMINAL_DOCKER_VOLUMES: '[1', DAYTONA_API_KEY: 'key-of-daytona' };
    const { config, secrets } = resolveTerminalConfig({ variables, backend: 'daytona' });
    expect(config).toMatchObject({ backend: 'daytona', daytona: { api_key: 'key-of-daytona' } });
    expect(secrets.map(({ name }) => name)).toEqual(['DAYTONA_API_KEY']);
    expect(() => resolveTerminalConfig({ variables, backend: 'docker' })).toThrow(/TERMINAL_DOCKER_VOLUMES/);
  });
});
