// Commands on this machine, in a folder of their own: no isolation, nothing to install.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalBackend } from '@talaria/terminal-backends/local';

const stateFolder = await mkdtemp(join(tmpdir(), 'talaria-example-'));
const backend = createLocalBackend({ stateFolder, environment: process.env });
{
  await using sandbox = await backend.open({ taskId: 'example' });
  await sandbox.run('mkdir project && cd project && export GREETING=hello');
  const { output } = await sandbox.run('echo "$GREETING from $(basename "$PWD")"');
  console.log(output.trim()); // hello from project
}
await rm(stateFolder, { recursive: true });
