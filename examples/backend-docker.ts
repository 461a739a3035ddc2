// Commands in a container: an image, limits, no network; files up and down.
// Needs an engine, and its image: docker pull debian:12-slim
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDockerBackend } from '@talaria/terminal-backends/docker';

const folder = await mkdtemp(join(tmpdir(), 'talaria-example-'));
const backend = createDockerBackend({ stateFolder: join(folder, 'state'), environment: process.env });
await backend.sweep(); // containers that runs which crashed left behind
{
  await using sandbox = await backend.open({
    taskId: 'example',
    image: 'debian:12-slim',
    allowNetwork: false,
    cpus: 1,
    memoryMiB: 512,
  });
  await writeFile(join(folder, 'numbers'), '3\n1\n2\n');
  await sandbox.upload(join(folder, 'numbers'), '/project/numbers');
  const result = await sandbox.run('cd /project && sort numbers > sorted && ls', { timeoutMs: 10_000 });
  console.log(result.kind, result.output.trim().split('\n')); // exited [ 'numbers', 'sorted' ]
  await sandbox.download('/project/sorted', join(folder, 'sorted'));
  console.log((await readFile(join(folder, 'sorted'), 'utf8')).trim().split('\n')); // [ '1', '2', '3' ]
}
await rm(folder, { recursive: true });
