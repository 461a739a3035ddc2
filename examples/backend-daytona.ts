// Commands at Daytona: DAYTONA_API_KEY.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDaytonaBackend } from '@talaria/terminal-backends/daytona';

const stateFolder = await mkdtemp(join(tmpdir(), 'talaria-example-'));
const backend = createDaytonaBackend({ stateFolder, environment: process.env, image: 'debian:12-slim' });
{
  await using sandbox = await backend.open({ taskId: 'example', cpus: 1, memoryMiB: 1_024 });
  const result = await sandbox.run('sleep 60', { timeoutMs: 500 });
  console.log(result.kind); // timed-out
  console.log((await sandbox.run('echo "still usable"')).output.trim()); // still usable
}
await rm(stateFolder, { recursive: true });
