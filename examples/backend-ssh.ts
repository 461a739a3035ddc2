// Commands on another machine: SSH_HOST, SSH_USER and SSH_KEY (the path of a private key) say which and as whom.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSshBackend } from '@talaria/terminal-backends/ssh';

const { SSH_HOST = 'localhost', SSH_PORT = '22', SSH_USER = 'root', SSH_KEY, SSH_KNOWN_HOSTS } = process.env;
const stateFolder = await mkdtemp(join(tmpdir(), 'talaria-example-'));
const backend = createSshBackend({
  stateFolder,
  environment: process.env,
  host: SSH_HOST,
  port: Number(SSH_PORT),
  user: SSH_USER,
  privateKeyPath: SSH_KEY,
  knownHostsPath: SSH_KNOWN_HOSTS,
});
{
  await using sandbox = await backend.open({ taskId: 'example' });
  // It goes on while other commands run, and ends with the sandbox at the latest.
  const server = await sandbox.spawn('echo ready; sleep 60');
  while ((await server.readOutput(0)).totalBytes === 0) await server.wait({ timeoutMs: 50 });
  console.log(
    Buffer.from((await server.readOutput(0)).bytes)
      .toString()
      .trim(),
  ); // ready
  console.log((await sandbox.run('pwd')).output.includes('.talaria')); // true
  await server.kill();
}
await rm(stateFolder, { recursive: true });
