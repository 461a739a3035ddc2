import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSingularityBackend } from '@talaria/terminal-backends/singularity';
import type { Benchmark, BenchmarkRow } from '@talaria/testing-services/bench';
import { type ApptainerService, findService } from '@talaria/testing-services/services';
import { inTurn } from './in-turn.ts';
import {
  downloadContender,
  fasterRow,
  makePayload,
  requireSize,
  runProgram,
  slowerRow,
  uploadContender,
} from './remote-rows.ts';

const commandRounds = 30;
const largeRounds = 7;
const crowdRounds = 3;
const crowd = 8;

async function measure(service: ApptainerService, folder: string): Promise<readonly BenchmarkRow[]> {
  const { path, image, needsNoPrivs } = service;
  const rights = needsNoPrivs ? ['--no-privs'] : [];
  const stateFolder = join(folder, 'state');
  const backend = createSingularityBackend({ stateFolder, environment: process.env, program: path, image });
  await using sandbox = await backend.open({ taskId: 'bench' });
  const call = (...args: readonly string[]) => runProgram(path, args);
  // The program leaves the logs of instances behind: in a place that goes with the rest.
  const callApart = (...args: readonly string[]) =>
    runProgram('env', [`APPTAINER_CONFIGDIR=${join(folder, 'config')}`, path, ...args]);
  const exec = (name: string, ...words: readonly string[]) => ['exec', ...rights, `instance://${name}`, ...words];
  const redirect = (line: string, file: string, ...args: readonly string[]) =>
    runProgram('sh', ['-c', `exec "$@" ${line}"$0"`, file, path, ...args]);
  const runs = await inTurn(commandRounds, {
    run: { act: () => sandbox.run('true') },
    exec: { act: () => call(...exec(sandbox.id, 'true')) },
  });
  const { large } = await makePayload(folder);
  const back = join(folder, 'back');
  const up = await inTurn(largeRounds, {
    upload: uploadContender(sandbox, large),
    exec: {
      act: () => redirect('<', large, ...exec(sandbox.id, 'sh', '-c', 'cat >/tmp/exec')),
      reset: () => sandbox.remove('/tmp/exec'),
    },
  });
  await sandbox.upload(large, '/tmp/large');
  const down = await inTurn(largeRounds, {
    download: downloadContender(sandbox, back),
    exec: {
      async act() {
        await redirect('>', back, ...exec(sandbox.id, 'cat', '/tmp/large'));
        await requireSize(back);
      },
      reset: () => rm(back),
    },
  });
  const numbers = Array.from({ length: crowd }, (_, index) => index);
  const crowds = await inTurn(
    crowdRounds,
    {
      sandboxes: {
        act: () =>
          Promise.all(
            numbers.map(async () => {
              await using one = await backend.open({ taskId: 'crowd' });
              await one.run('true');
            }),
          ),
      },
      program: {
        act: () =>
          Promise.all(
            numbers.map(async (number) => {
              const name = `bench-${process.pid}-${number}`;
              await callApart('instance', 'start', '--containall', ...rights, '--writable-tmpfs', image, name);
              await callApart(...exec(name, 'true'));
              await callApart('instance', 'stop', '--force', name);
            }),
          ),
      },
    },
    1,
  );
  return [
    fasterRow("singularity: run('true') against a fresh exec", 5, runs.run, runs.exec),
    fasterRow(
      'singularity: 100 MiB up, checked and moved into place, speed against cat by exec',
      0.4,
      up.upload,
      up.exec,
    ),
    fasterRow('singularity: 100 MiB down, checked, speed against cat by exec', 0.3, down.download, down.exec),
    slowerRow(
      `singularity: ${crowd} sandboxes, one command each, against the program`,
      1.2,
      crowds.sandboxes,
      crowds.program,
    ),
  ];
}

export const benchmark: Benchmark = {
  name: 'singularity backend',
  async run() {
    const found = await findService('apptainer');
    if (found.kind === 'absent') throw new Error(found.reason);
    const folder = await mkdtemp(join(tmpdir(), 'talaria-bench-'));
    try {
      return await measure(found.service, folder);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
};
