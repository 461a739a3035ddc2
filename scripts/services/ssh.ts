import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { probeService } from '../../packages/testing-services/src/services/probe-service.ts';
import type { SshService } from '../../packages/testing-services/src/services/service-description.ts';
import { startInBackground } from './background-process.ts';
import { findProgram, isRoot, runProgram } from './host-programs.ts';
import { type ServiceContext, timed } from './service-context.ts';
import { StepError } from './step-error.ts';

const host = '127.0.0.1';
const commandTimeoutMs = 20_000;
const startTimeoutMs = 20_000;
/** The folder that a server run by root insists on. */
const privilegeFolder = '/run/sshd';

/** Brings up an OpenSSH server of this checkout's own, with its own keys and configuration, and logs in once. */
export async function bringUpSsh(context: ServiceContext, recorded: SshService | undefined): Promise<SshService> {
  await context.packages.ensure([
    { program: 'sshd', package: 'openssh-server' },
    { program: 'ssh', package: 'openssh-client' },
    { program: 'ssh-keygen', package: 'openssh-client' },
  ]);
  if (recorded !== undefined && (await probeService('ssh', recorded)) === undefined) {
    await logIn(recorded);
    return recorded;
  }
  const serverPath = findProgram('sshd') ?? 'sshd';
  const service: SshService = {
    host,
    port: await freePort(),
    user: userInfo().username,
    privateKeyPath: join(context.folder, 'client-key'),
    knownHostsPath: join(context.folder, 'known-hosts'),
    serverPath,
  };
  const configuration = await writeConfiguration(context.folder, service);
  await timed(context, `OpenSSH server started at ${host}:${service.port}`, () =>
    startInBackground({
      file: serverPath,
      args: ['-D', '-e', '-f', configuration],
      folder: context.folder,
      isReady: async () => (await probeService('ssh', service)) === undefined,
      readyTimeoutMs: startTimeoutMs,
      hint: `Try it by hand: ${serverPath} -D -d -e -f ${configuration}`,
    }),
  );
  await logIn(service);
  return service;
}

async function writeConfiguration(
  folder: string,
  { port, privateKeyPath, knownHostsPath }: SshService,
): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (isRoot) await mkdir(privilegeFolder, { recursive: true, mode: 0o755 });
  const hostKey = join(folder, 'host-key');
  for (const file of [hostKey, privateKeyPath]) await makeKey(file);
  const authorizedKeys = join(folder, 'authorized-keys');
  await copyFile(`${privateKeyPath}.pub`, authorizedKeys);
  await chmod(authorizedKeys, 0o600);
  await writeFile(knownHostsPath, `[${host}]:${port} ${await readFile(`${hostKey}.pub`, 'utf8')}`);
  const configuration = join(folder, 'sshd-config');
  const lines = [
    `Port ${port}`,
    `ListenAddress ${host}`,
    `HostKey ${hostKey}`,
    `AuthorizedKeysFile ${authorizedKeys}`,
    'PidFile none',
    'StrictModes no',
    'UsePAM no',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PermitRootLogin prohibit-password',
    'PrintMotd no',
    'Subsystem sftp internal-sftp',
  ];
  await writeFile(configuration, `${lines.join('\n')}\n`);
  return configuration;
}

async function makeKey(file: string): Promise<void> {
  if (existsSync(file)) return;
  await runProgram('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'talaria-test', '-f', file], {
    timeoutMs: commandTimeoutMs,
    hint: 'See that the folder can be written.',
  });
}

/** A server can answer and still admit nobody: a locked account, a home folder that is not there. */
async function logIn({ port, user, privateKeyPath, knownHostsPath }: SshService): Promise<void> {
  const options = ['BatchMode=yes', 'StrictHostKeyChecking=yes', `UserKnownHostsFile=${knownHostsPath}`];
  const said = await runProgram(
    'ssh',
    [
      '-F',
      '/dev/null',
      '-i',
      privateKeyPath,
      '-p',
      String(port),
      ...options.flatMap((option) => ['-o', option]),
      `${user}@${host}`,
      'echo in',
    ],
    { timeoutMs: commandTimeoutMs, hint: `See the server's log beside ${privateKeyPath}; is the account locked?` },
  );
  if (said !== 'in') {
    throw new StepError(
      `a login at ${host}:${port} said ${JSON.stringify(said)} beside what it was asked for`,
      `See what the start-up files of the shell of ${user} print.`,
    );
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, host, () => {
      const address = server.address();
      server.close(() => {
        if (typeof address === 'object' && address !== null) resolve(address.port);
        else reject(new Error(`no port at ${host}`));
      });
    });
  });
}
