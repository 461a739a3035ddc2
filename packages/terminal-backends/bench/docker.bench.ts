import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TerminalBackend } from '@talaria/terminal-backends';
import { createDockerBackend } from '@talaria/terminal-backends/docker';
import type { Benchmark, BenchmarkRow } from '@talaria/testing-services/bench';
import { findService } from '@talaria/testing-services/services';
import { inTurn } from './in-turn.ts';
import {
  downloadContender,
  fasterRow,
  makePayload,
  requireSize,
  runProgram,
  slowerRow,
  spawnBash,
  uploadContender,
} from './remote-rows.ts';

const commandRounds = 100;
const largeRounds = 7;
const treeRounds = 7;
const crowdRounds = 3;
const crowd = 50;

const docker = (...args: readonly string[]) => runProgram('docker', args);

async function measureCommands(backend: TerminalBackend): Promise<readonly BenchmarkRow[]> {
  await using sandbox = await backend.open({ taskId: 'bench-commands' });
  const runs = await inTurn(commandRounds, {
    run: { act: () => sandbox.run('true') },
    exec: { act: () => docker('exec', sandbox.id, 'true') },
    bash: spawnBash,
  });
  return [
    fasterRow("docker: run('true') against docker exec of the client", 8, runs.run, runs.exec),
    slowerRow("docker: run('true') against bash -c true on the host", 4, runs.run, runs.bash),
  ];
}

async function measureTransfers(backend: TerminalBackend, folder: string): Promise<readonly BenchmarkRow[]> {
  await using sandbox = await backend.open({ taskId: 'bench-transfers' });
  const { large, small } = await makePayload(folder);
  const back = join(folder, 'back');
  const place = (path: string) => `${sandbox.id}:${path}`;
  const up = await inTurn(largeRounds, {
    upload: uploadContender(sandbox, large),
    copy: { act: () => docker('cp', '-q', large, place('/tmp/cp')), reset: () => sandbox.remove('/tmp/cp') },
  });
  await sandbox.upload(large, '/tmp/large');
  const down = await inTurn(largeRounds, {
    download: downloadContender(sandbox, back),
    copy: {
      async act() {
        await docker('cp', '-q', place('/tmp/large'), back);
        await requireSize(back);
      },
      reset: () => rm(back),
    },
  });
  const tree = await inTurn(treeRounds, {
    upload: { act: () => sandbox.upload(small, '/tmp/tree'), reset: () => sandbox.remove('/tmp/tree') },
    pipe: {
      act: () =>
        runProgram('sh', [
          '-c',
          `tar -C "$1" -c . | docker exec -i "$2" sh -c 'mkdir /tmp/pipe; tar -C /tmp/pipe -x'`,
          'sh',
          small,
          sandbox.id,
        ]),
      reset: () => sandbox.remove('/tmp/pipe'),
    },
  });
  return [
    fasterRow('docker: 100 MiB up, speed against docker cp', 0.8, up.upload, up.copy),
    fasterRow('docker: 100 MiB down, speed against docker cp', 0.8, down.download, down.copy),
    slowerRow('docker: 1,000 small files up against tar | docker exec -i tar', 1.5, tree.upload, tree.pipe),
  ];
}

/** Fifty at once: opened, one command in each, gone. */
async function measureCrowd(backend: TerminalBackend, image: string): Promise<readonly BenchmarkRow[]> {
  const numbers = Array.from({ length: crowd }, (_, index) => index);
  const name = (index: number) => `talaria-bench-cli-${process.pid}-${index}`;
  const rounds = await inTurn(
    crowdRounds,
    {
      sandboxes: {
        act: () =>
          Promise.all(
            numbers.map(async (index) => {
              await using sandbox = await backend.open({ taskId: `bench-${index}` });
              await sandbox.run('true');
            }),
          ),
      },
      client: {
        act: () =>
          Promise.all(
            numbers.map(async (index) => {
              await docker('run', '-d', '--name', name(index), image, 'sleep', '600');
              await docker('exec', name(index), 'true');
              await docker('rm', '-f', name(index));
            }),
          ),
      },
    },
    1,
  );
  return [
    slowerRow('docker: 50 sandboxes, one command each, against the client', 1.2, rounds.sandboxes, rounds.client),
  ];
}

export const benchmark: Benchmark = {
  name: 'docker backend',
  async run() {
    const found = await findService('docker');
    if (found.kind === 'absent') throw new Error(found.reason);
    const { image, socketPath } = found.service;
    const folder = await mkdtemp(join(tmpdir(), 'talaria-bench-'));
    try {
      const backend = createDockerBackend({
        stateFolder: join(folder, 'state'),
        environment: process.env,
        host: `unix://${socketPath}`,
        image,
      });
      const rows = [
        ...(await measureCommands(backend)),
        ...(await measureTransfers(backend, folder)),
        ...(await measureCrowd(backend, image)),
      ];
      const left = (await backend.list?.()) ?? [];
      const own = left.filter(({ taskId }) => taskId.startsWith('bench'));
      return [
        ...rows,
        { name: 'docker: containers left', measured: own.length, unit: '', limit: { kind: 'at most', value: 0 } },
      ];
    } finally {
      await rm(folder, { recursive: true });
    }
  },
};
