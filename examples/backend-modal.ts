// Commands at Modal: MODAL_TOKEN_ID and MODAL_TOKEN_SECRET, or the profile that `modal token new` writes.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandboxPool } from '@talaria/terminal-backends';
import { createModalBackend } from '@talaria/terminal-backends/modal';

const stateFolder = await mkdtemp(join(tmpdir(), 'talaria-example-'));
const backend = createModalBackend({ stateFolder, environment: process.env, image: 'debian:12-slim' });
{
  // Modal lets about five sandboxes begin in a second: the pool spreads them.
  await using pool = createSandboxPool({ backend, maxConcurrentSandboxes: 3 });
  const words = await Promise.all(
    ['one', 'two', 'three'].map(async (word) => {
      await using lease = pool.lease({ taskId: word, maxLifetimeMs: 600_000 });
      const sandbox = await lease.open();
      return (await sandbox.run('echo "$WORD"', { env: { WORD: word } })).output.trim();
    }),
  );
  console.log(words); // [ 'one', 'two', 'three' ]
}
await rm(stateFolder, { recursive: true });
