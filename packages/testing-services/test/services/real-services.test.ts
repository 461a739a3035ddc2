import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import type { DockerService } from '@talaria/testing-services/services';
import { describeWithService } from '@talaria/testing-services/services/jest';

const run = promisify(execFile);
const tools = 'bash python3 git ps tar';
const listTools = `for tool in ${tools}; do command -v $tool >/dev/null && printf "%s " $tool; done; :`;

/** Podman sets these two higher than it may where root lacks a capability. */
const limits = ['--ulimit', 'nofile=4096', '--ulimit', 'nproc=8192'];

for (const service of ['docker', 'podman'] as const) await describeWithService(service, process.env, testEngine);

function testEngine({ socketPath, image, shellImage }: DockerService): void {
  const inContainer = async (name: string): Promise<string> => {
    const args = ['-H', `unix://${socketPath}`, 'run', '--rm', ...limits, name, 'sh', '-c', listTools];
    return (await run('docker', args)).stdout.trim();
  };

  test('the image has what commands of agents take for granted', async () => {
    expect(await inContainer(image)).toBe(tools);
  }, 60_000);

  test('the small image has no bash', async () => {
    expect(await inContainer(shellImage)).toBe('ps tar');
  }, 60_000);
}

await describeWithService('ssh', process.env, ({ host, port, user, privateKeyPath, knownHostsPath }) => {
  test('the key admits, and the host key is the one that is known', async () => {
    const options = ['BatchMode=yes', 'StrictHostKeyChecking=yes', `UserKnownHostsFile=${knownHostsPath}`];
    const args = [
      '-F',
      '/dev/null',
      '-i',
      privateKeyPath,
      '-p',
      String(port),
      ...options.flatMap((each) => ['-o', each]),
    ];
    expect((await run('ssh', [...args, `${user}@${host}`, 'id -un'])).stdout.trim()).toBe(user);
  }, 60_000);
});

await describeWithService('apptainer', process.env, ({ path, image, shellImage, needsNoPrivs }) => {
  const inImage = async (file: string): Promise<string> => {
    const options = ['--containall', '--cleanenv', ...(needsNoPrivs ? ['--no-privs'] : [])];
    return (await run(path, ['exec', ...options, file, 'sh', '-c', listTools])).stdout.trim();
  };

  test('the image has what commands of agents take for granted', async () => {
    expect(await inImage(image)).toBe(tools);
  }, 60_000);

  test('the small image has no bash', async () => {
    expect(await inImage(shellImage)).toBe('ps tar');
  }, 60_000);
});
