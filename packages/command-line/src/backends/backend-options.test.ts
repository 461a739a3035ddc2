import { userInfo } from 'node:os';
import { describe, expect, test } from '@jest/globals';
import { silentLogger } from '@talaria/core';
import { defaultImage, resolveTerminalConfig } from '@talaria/environments';
import { createFakeHost } from '../../test/fake-host.ts';
import { createImageTeller } from './image-teller.ts';
import { openBackend } from './open-backend.ts';
import { readDaytonaOptions } from './open-daytona.ts';
import { readDockerOptions } from './open-docker.ts';
import { readModalOptions } from './open-modal.ts';
import { readSingularityOptions } from './open-singularity.ts';
import { readSshOptions } from './open-ssh.ts';
import type { BackendSource } from './shared-options.ts';

function sourceOf(
  argv: readonly string[],
  variables: Readonly<Record<string, string>> = {},
  lines: string[] = [],
): BackendSource {
  const host = createFakeHost({ variables, cwd: '/here', homeFolder: '/home/me' });
  const { config } = resolveTerminalConfig({ variables, argv });
  return { host, config, logger: silentLogger, tellImage: createImageTeller((line) => lines.push(line)) };
}

const docker = ['--terminal.backend', 'docker'];
const ssh = ['--terminal.backend', 'ssh', '--terminal.ssh.host', 'box'];

describe('what all backends have', () => {
  test('comes from the section and the host', () => {
    const variables = { TERMINAL_SANDBOX_DIR: '~/state', HOME: '/home/me' };
    const argv = [...docker, '--terminal.env.A', 'b', '--terminal.env_passthrough', 'LANG', '--image', 'x'].slice(
      0,
      -2,
    );
    expect(readDockerOptions(sourceOf(argv, variables))).toMatchObject({
      stateFolder: '/home/me/state',
      environment: variables,
      env: { A: 'b' },
      passthrough: ['LANG'],
      allowSecretEnv: [],
      image: defaultImage,
    });
  });
});

describe('docker', () => {
  test.each([
    ['/data:/data', { kind: 'bind', source: '/data', target: '/data', isReadOnly: false }],
    ['~/data:/data:ro', { kind: 'bind', source: '/home/me/data', target: '/data', isReadOnly: true }],
    ['./data:/data:rw', { kind: 'bind', source: '/here/data', target: '/data', isReadOnly: false }],
    ['cache:/cache:ro', { kind: 'volume', source: 'cache', target: '/cache', isReadOnly: true }],
  ])('the volume %s', (volume, mount) => {
    const { mounts } = readDockerOptions(sourceOf([...docker, '--terminal.docker.volumes', volume]));
    expect(mounts).toEqual([mount]);
  });

  test('the folder of the program is the start folder where it is mounted, unless another is named', () => {
    const mounted = [...docker, '--terminal.docker.mount_cwd'];
    expect(readDockerOptions(sourceOf(mounted))).toMatchObject({
      mounts: [{ kind: 'bind', source: '/here', target: '/workspace', isReadOnly: false }],
      cwd: '/workspace',
    });
    expect(readDockerOptions(sourceOf([...mounted, '--terminal.cwd', '/srv'])).cwd).toBe('/srv');
    expect(readDockerOptions(sourceOf(docker)).cwd).toBeUndefined();
  });

  test('host is the user that runs the program', () => {
    const { uid, gid } = userInfo();
    expect(readDockerOptions(sourceOf([...docker, '--terminal.docker.user', 'host'])).user).toBe(`${uid}:${gid}`);
    expect(readDockerOptions(sourceOf([...docker, '--terminal.docker.user', 'nobody'])).user).toBe('nobody');
  });

  test('limits of processes', () => {
    const argv = [...docker, '--terminal.docker.ulimits', 'nofile=1024:4096', 'core=0', 'nproc=-1'];
    expect(readDockerOptions(sourceOf(argv)).ulimits).toEqual({
      nofile: { soft: 1024, hard: 4096 },
      core: { soft: 0, hard: 0 },
      nproc: { soft: -1, hard: -1 },
    });
    expect(readDockerOptions(sourceOf(docker)).ulimits).toBeUndefined();
  });

  test('a login is read from the variable that it names', () => {
    const registry = '{"server":"ghcr.io","username":"me","password_variable":"GHCR_TOKEN"}';
    const argv = [...docker, '--terminal.docker.registries', registry];
    const { registries = {} } = readDockerOptions(sourceOf(argv, { GHCR_TOKEN: 'hush' }));
    expect(registries['ghcr.io']).toMatchObject({ username: 'me' });
    expect(registries['ghcr.io']?.password.reveal()).toBe('hush');
    expect(() => readDockerOptions(sourceOf(argv))).toThrow(
      expect.objectContaining({ code: 'config.missing-variable', message: expect.stringContaining('GHCR_TOKEN') }),
    );
  });

  test('an image that takes long is told of once', () => {
    const lines: string[] = [];
    const { onProgress } = readDockerOptions(sourceOf(docker, {}, lines));
    for (const image of ['a', 'a', 'b', 'a']) onProgress?.({ image, text: 'Pulling' });
    expect(lines).toEqual([expect.stringContaining('image a,'), expect.stringContaining('image b,')]);
  });
});

describe('ssh', () => {
  test('the user is the one that runs the program, and paths are of this machine', () => {
    const argv = [...ssh, '--terminal.ssh.key_path', '~/.ssh/k', '--terminal.ssh.known_hosts_path', 'known'];
    expect(readSshOptions(sourceOf(argv))).toMatchObject({
      host: 'box',
      port: 22,
      user: userInfo().username,
      privateKeyPath: '/home/me/.ssh/k',
      knownHostsPath: '/here/known',
      agentSocket: undefined,
      hostKeyPolicy: 'accept-new',
      connectTimeoutMs: 10_000,
    });
    expect(readSshOptions(sourceOf([...ssh, '--no-terminal.ssh.use_agent'])).agentSocket).toBeNull();
  });

  test('secrets are secrets', () => {
    const { password } = readSshOptions(sourceOf(ssh, { TERMINAL_SSH_PASSWORD: 'hush' }));
    expect([String(password), password?.reveal()]).toEqual([expect.not.stringContaining('hush'), 'hush']);
  });

  test.each([
    ['gate', { host: 'gate', port: undefined, user: 'me' }],
    ['gate:2222', { host: 'gate', port: 2222, user: 'me' }],
    ['you@gate.example:22', { host: 'gate.example', port: 22, user: 'you' }],
    ['you@[2001:db8::1]:22', { host: '2001:db8::1', port: 22, user: 'you' }],
  ])('the way through %s', (jump, expected) => {
    const argv = [...ssh, '--terminal.ssh.user', 'me', '--terminal.ssh.key_path', '/k', '--terminal.ssh.jump', jump];
    expect(readSshOptions(sourceOf(argv)).jump).toMatchObject({ ...expected, privateKeyPath: '/k' });
    const { jump: other } = readSshOptions(sourceOf([...argv, '--terminal.ssh.jump_key_path', '/j']));
    expect(other?.privateKeyPath).toBe('/j');
  });
});

describe('singularity', () => {
  const singularity = ['--terminal.backend', 'singularity'];

  test('paths are of this machine, names are looked for on PATH', () => {
    const argv = [
      ...singularity,
      '--terminal.singularity.scratch_dir',
      '~/scratch',
      '--terminal.singularity.volumes',
      './d:/d:ro',
    ];
    expect(readSingularityOptions(sourceOf(argv))).toMatchObject({
      scratchFolder: '/home/me/scratch',
      cacheFolder: undefined,
      program: undefined,
      fakeroot: undefined,
      mounts: [{ source: '/here/d', target: '/d', isReadOnly: true }],
      buildTimeoutMs: 1_800_000,
    });
    const program = (name: string) =>
      readSingularityOptions(sourceOf([...singularity, '--terminal.singularity.program', name])).program;
    expect([program('singularity'), program('bin/apptainer')]).toEqual(['singularity', '/here/bin/apptainer']);
  });

  test('a login is whole, or none', () => {
    const user = [...singularity, '--terminal.singularity.registry_username', 'me'];
    const both = [...user, '--terminal.singularity.registry_password_variable', 'TOKEN'];
    expect(readSingularityOptions(sourceOf(both, { TOKEN: 'hush' })).registryLogin?.password.reveal()).toBe('hush');
    expect(() => readSingularityOptions(sourceOf(both))).toThrow(
      expect.objectContaining({ code: 'config.missing-variable' }),
    );
    expect(() => readSingularityOptions(sourceOf(user))).toThrow(expect.objectContaining({ code: 'config.invalid' }));
  });

  test('a volume is a path', () => {
    const argv = [...singularity, '--terminal.singularity.volumes', 'cache:/cache'];
    expect(() => readSingularityOptions(sourceOf(argv))).toThrow(/"cache:\/cache" names a volume/);
  });
});

describe('modal and daytona', () => {
  test('what is empty limits nothing, and seconds become milliseconds', () => {
    const argv = [
      '--terminal.backend',
      'modal',
      '--terminal.modal.idle_timeout_sec',
      '90',
      '--terminal.modal.gpu',
      'T4',
    ];
    const options = readModalOptions(sourceOf(argv, { MODAL_TOKEN_ID: 'ak', MODAL_TOKEN_SECRET: 'hush' }));
    expect(options).toMatchObject({
      tokenId: 'ak',
      appName: 'talaria',
      gpu: 'T4',
      idleTimeoutMs: 90_000,
      allowedCidrs: undefined,
      regions: undefined,
    });
    expect(options.tokenSecret?.reveal()).toBe('hush');
  });

  test('daytona is asked as the section says', () => {
    const argv = ['--terminal.backend', 'daytona', '--terminal.daytona.allowed_cidrs', '10.0.0.0/8'];
    const options = readDaytonaOptions(sourceOf(argv, { DAYTONA_API_KEY: 'hush' }));
    expect(options).toMatchObject({ networkAllowList: ['10.0.0.0/8'], maxDiskGiB: 10, createTimeoutMs: 300_000 });
    expect(options.apiKey?.reveal()).toBe('hush');
  });
});

test.each(['local', 'docker', 'ssh', 'modal', 'singularity', 'daytona'])(
  '%s is opened by its name, and nothing is connected to',
  async (kind) => {
    const variables = { PATH: process.env['PATH'] ?? '', DAYTONA_API_KEY: 'k' };
    const { host, config } = sourceOf(
      ['--terminal.backend', kind, '--terminal.ssh.host', 'nowhere.invalid'],
      variables,
    );
    const backend = await openBackend(host, config, { logger: silentLogger });
    expect(backend.kind).toBe(kind);
    expect([typeof backend.list, typeof backend.remove]).toEqual(['function', 'function']);
  },
);
