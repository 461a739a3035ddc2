import { describe, expect, test } from '@jest/globals';
import { systemClock } from '@talaria/core';
import type { DockerService } from '@talaria/testing-services/services';
import { describeWithService } from '@talaria/testing-services/services/jest';
import { createDockerTransport } from '../src/docker/docker-transport.ts';
import type { DockerBackend, DockerBackendOptions } from '../src/docker/index.ts';
import { useDocker } from './docker-test-backend.ts';

const patience = 120_000;
/** Longer than any test may take: what waits for it does not pass. */
const endlessMs = 600_000;
/** Starts as many of itself as it may, ignores SIGTERM, and never ends. */
const bomb = `perl -e '$SIG{TERM} = "IGNORE"; for (;;) { fork }'`;

await describeWithService('docker', process.env, (service) => declareEndings('Docker', service));
await describeWithService('podman', process.env, (service) =>
  declareEndings('Podman', service, { ulimits: undefined }),
);

function declareEndings(engine: string, service: DockerService, more: Partial<DockerBackendOptions> = {}): void {
  const docker = useDocker(service);
  const createBackend = (options: Partial<DockerBackendOptions> = {}): DockerBackend =>
    docker.createBackend({ ...more, ...options });

  describe(`all processes of a container of ${engine}`, () => {
    test(
      'are ended from outside, and the files stay',
      async () => {
        await using sandbox = await createBackend().open({ taskId: 'ended' });
        const container = docker.client.getContainer(sandbox.id);
        const transport = createDockerTransport({ container, host: service.socketPath, clock: systemClock });
        await sandbox.run('export KEPT=yes; cd /srv; echo kept >file');
        const before = await container.inspect();
        const background = await sandbox.spawn('trap "" TERM; sleep 600; sleep 600');
        await transport.endEverything?.();
        expect(await background.wait()).toMatchObject({ exitCode: 137 });
        // Lets go of the launchers, which have gone although nobody may have heard of it yet.
        await sandbox.killAll();
        expect(await sandbox.run('echo $KEPT; cat file')).toMatchObject({ output: 'yes\nkept\n' });
        expect((await container.inspect()).State.StartedAt).toBe(before.State.StartedAt);
      },
      patience,
    );

    test(
      'are ended although there is no room to look for them and they start more all the time',
      async () => {
        await using sandbox = await createBackend({ maxProcesses: 60 }).open({ taskId: 'bomb' });
        await sandbox.run('cd /srv; echo kept >file');
        expect(await sandbox.run(`${bomb} & ${bomb}`, { timeoutMs: 500 })).toMatchObject({ kind: 'timed-out' });
        expect(await sandbox.run('cat file; ps -e -o comm= | grep -c perl')).toMatchObject({ output: 'kept\n0\n' });
      },
      patience,
    );

    test(
      'are ended by killAll, which does not wait for the launchers that stand ready',
      async () => {
        await using sandbox = await createBackend({ killGraceMs: endlessMs }).open({ taskId: 'idle' });
        await sandbox.run('export KEPT=yes; cd /srv');
        await Promise.all([1, 2, 3].map(() => sandbox.stat('/')));
        await sandbox.killAll();
        expect(await sandbox.run('echo $KEPT; pwd')).toMatchObject({ output: 'yes\n/srv\n' });
        await sandbox.killAll();
        expect(await sandbox.stat('/')).toMatchObject({ kind: 'directory' });
      },
      patience,
    );

    test(
      'have their grace when killAll ends them at work, and no more than that is waited for',
      async () => {
        await using sandbox = await createBackend({ killGraceMs: endlessMs }).open({ taskId: 'busy' });
        const ready = Promise.withResolvers<void>();
        const command = sandbox.run(
          'trap "sleep 0.3; echo tidied; exit 3" TERM; echo ready; while :; do sleep 0.05; done',
          { onOutput: () => ready.resolve() },
        );
        await ready.promise;
        await sandbox.killAll();
        expect(await command).toMatchObject({
          kind: 'exited',
          exitCode: 3,
          output: expect.stringContaining('tidied\n'),
        });
        expect(await sandbox.run('echo on')).toMatchObject({ kind: 'exited', output: 'on\n' });
      },
      patience,
    );
  });
}
