import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { describeWithService } from '@talaria/testing-services/services/jest';
import { startTalaria } from './talaria-process.ts';

/** Containers are made, and sometimes many tests make some. */
const patience = 120_000;

let cwd: string;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'talaria-docker-'));
});

afterEach(() => rm(cwd, { recursive: true, force: true }));

interface ListedSandbox {
  readonly id: string;
  readonly owner: { readonly pid: number } | null;
  readonly owner_state: string;
  readonly state: string;
}

await describeWithService('docker', process.env, ({ socketPath, image }) => {
  const variables = { DOCKER_HOST: `unix://${socketPath}` };
  const docker = ['--backend', 'docker', '--image', image];

  /** Containers that a process opened, as `sandboxes ls` tells of them. */
  async function listOf(pid: number | undefined): Promise<readonly ListedSandbox[]> {
    const { stdout } = await startTalaria(['sandboxes', 'ls', '--backend', 'docker', '--json'], { cwd, variables });
    const { sandboxes }: { readonly sandboxes: readonly ListedSandbox[] } = JSON.parse(stdout);
    return sandboxes.filter(({ owner }) => owner?.pid === pid);
  }

  test(
    'terminal-test is solved in containers, which are gone afterwards',
    async () => {
      const args = ['run', 'terminal-test', ...docker, '--group-size', '2', '--json', '--output', 'out'];
      const child = startTalaria(args, { cwd, variables });
      const { exitCode, stdout, stderr } = await child;
      expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining('rollout.retry')]);
      expect(JSON.parse(stdout)).toMatchObject({ reason: 'done', mean_reward: expect.closeTo(5 / 6) });
      const manifest = JSON.parse(await readFile(join(cwd, 'out', 'manifest.json'), 'utf8'));
      expect(manifest.config.terminal).toMatchObject({ backend: 'docker', image });
      expect(await listOf(child.pid)).toEqual([]);
    },
    patience,
  );

  test(
    'items have their own image, variables, folder and network, and settings reach the container',
    async () => {
      await writeFile(join(cwd, 'note.txt'), 'from here');
      await writeFile(
        join(cwd, 'own.mjs'),
        `export const environment = {
  name: 'own',
  configInit: () => ({ env: { enabled_toolsets: ['terminal'], group_size: 1 } }),
  items: [{ id: 'a', image: '${image}', cwd: '/srv/task', env: { GREETING: 'hi' }, network: false, memory_mb: 256 }],
  formatPrompt: () => 'Look.',
  async computeReward(_item, _result, { terminal }) {
    const command = 'pwd; echo "$GREETING $MINE"; ls /sys/class/net; cat /mnt/cwd/note.txt; '
      + 'cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null; touch /mnt/cwd/x 2>&1';
    const { output } = await terminal(command);
    return { reward: 1, info: { output } };
  },
  referenceTurns: () => [{ content: 'Seen.' }],
};
`,
      );
      const flags = ['--terminal.docker.volumes', '.:/mnt/cwd:ro', '--terminal.env.MINE', 'own', '--output', 'out'];
      const args = ['run', './own.mjs', '--backend', 'docker', ...flags];
      const { exitCode, stderr } = await startTalaria(args, { cwd, variables });
      expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining('error:')]);
      const journal = join(cwd, 'out', 'journal');
      const texts = await Promise.all((await readdir(journal)).map((name) => readFile(join(journal, name), 'utf8')));
      const lines = /"output":"((?:[^"\\]|\\.)*)"/.exec(texts.join(''))?.[1]?.split('\\n').filter(Boolean) ?? [];
      expect(lines).toEqual(['/srv/task', 'hi own', 'lo', 'from here268435456', expect.stringMatching(/Read-only/)]);
    },
    patience,
  );

  test(
    'an image that does not exist is told before anything is written',
    async () => {
      const missing = ['--image', 'talaria-test/no-such-image:1', '--terminal.docker.pull', 'never'];
      const args = ['run', 'terminal-test', '--backend', 'docker', ...missing, '--output', 'out'];
      const { exitCode, stderr } = await startTalaria(args, { cwd, variables });
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining('talaria-test/no-such-image:1')]);
      await expect(readFile(join(cwd, 'out', 'manifest.json'))).rejects.toMatchObject({ code: 'ENOENT' });
    },
    patience,
  );

  test(
    'sandboxes of a run are listed, and those of one that was killed are swept',
    async () => {
      await writeFile(
        join(cwd, 'endless.mjs'),
        `export const environment = {
  name: 'endless',
  configInit: () => ({ env: { enabled_toolsets: ['terminal'], group_size: 2 } }),
  items: [{ id: 'endless' }],
  formatPrompt: () => 'Wait.',
  computeReward: async () => 1,
  referenceTurns: () => [
    { toolCalls: [{ name: 'terminal', arguments: { command: 'sleep 500' } }] },
    { content: 'Done.' },
  ],
};
`,
      );
      const child = startTalaria(['run', './endless.mjs', ...docker], { cwd, variables });
      let open = await listOf(child.pid);
      while (open.length < 2) {
        await sleep(200);
        open = await listOf(child.pid);
      }
      expect(open).toEqual(open.map((entry) => ({ ...entry, owner_state: 'alive' })));
      child.kill('SIGKILL');
      await child;
      const left = await listOf(child.pid);
      // A sweep of another test may have been faster.
      expect(left.filter(({ owner_state: state }) => state !== 'dead')).toEqual([]);
      const sweep = await startTalaria(['sandboxes', 'sweep', '--backend', 'docker', '--json'], { cwd, variables });
      expect([sweep.exitCode, JSON.parse(sweep.stdout)]).toEqual([0, expect.objectContaining({ failed: [] })]);
      expect(await listOf(child.pid)).toEqual([]);
    },
    patience,
  );
});
