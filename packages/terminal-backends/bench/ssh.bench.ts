import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSshBackend } from '@talaria/terminal-backends/ssh';
import type { Benchmark, BenchmarkRow } from '@talaria/testing-services/bench';
import { findService, type SshService } from '@talaria/testing-services/services';
import { inTurn } from './in-turn.ts';
import { downloadContender, fasterRow, makePayload, requireSize, runProgram, uploadContender } from './remote-rows.ts';

const commandRounds = 30;
const largeRounds = 7;

function clientOptions({ privateKeyPath, knownHostsPath }: SshService): readonly string[] {
  return ['-F', 'none', '-i', privateKeyPath, '-o', `UserKnownHostsFile=${knownHostsPath}`, '-o', 'BatchMode=yes'];
}

async function measure(service: SshService, folder: string): Promise<readonly BenchmarkRow[]> {
  const { host, port, user, privateKeyPath, knownHostsPath } = service;
  const backend = createSshBackend({
    stateFolder: join(folder, 'state'),
    environment: process.env,
    host,
    port,
    user,
    privateKeyPath,
    knownHostsPath,
  });
  await using sandbox = await backend.open({ taskId: 'bench' });
  const target = `${user}@${host}`;
  const runs = await inTurn(commandRounds, {
    run: { act: () => sandbox.run('true') },
    ssh: { act: () => runProgram('ssh', [...clientOptions(service), '-p', String(port), target, 'true']) },
  });
  const { large } = await makePayload(folder);
  const back = join(folder, 'back');
  async function sftp(line: string): Promise<void> {
    const batch = join(folder, 'batch');
    await writeFile(batch, `${line}\n`);
    await runProgram('sftp', [...clientOptions(service), '-q', '-P', String(port), '-b', batch, target]);
  }
  const up = await inTurn(largeRounds, {
    upload: uploadContender(sandbox, large),
    sftp: { act: () => sftp(`put ${large} /tmp/sftp`), reset: () => sandbox.remove('/tmp/sftp') },
  });
  await sandbox.upload(large, '/tmp/large');
  const down = await inTurn(largeRounds, {
    download: downloadContender(sandbox, back),
    sftp: {
      async act() {
        await sftp(`get /tmp/large ${back}`);
        await requireSize(back);
      },
      reset: () => rm(back),
    },
  });
  await sandbox.remove('/tmp/large');
  return [
    fasterRow("ssh: run('true') against a fresh ssh process", 20, runs.run, runs.ssh),
    fasterRow('ssh: 100 MiB up, speed against sftp', 0.8, up.upload, up.sftp),
    fasterRow('ssh: 100 MiB down, speed against sftp', 0.8, down.download, down.sftp),
  ];
}

export const benchmark: Benchmark = {
  name: 'ssh backend',
  async run() {
    const found = await findService('ssh');
    if (found.kind === 'absent') throw new Error(found.reason);
    const folder = await mkdtemp(join(tmpdir(), 'talaria-bench-'));
    try {
      return await measure(found.service, folder);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
};
