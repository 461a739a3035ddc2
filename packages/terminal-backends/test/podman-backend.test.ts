import { expect, test } from '@jest/globals';
import { describeWithService } from '@talaria/testing-services/services/jest';
import type { DockerBackend, DockerBackendOptions } from '../src/docker/index.ts';
import { useDocker } from './docker-test-backend.ts';

const patience = 120_000;

await describeWithService('podman', process.env, (podman) => {
  const tested = useDocker(podman);
  /** Which limits Podman can set is found out. */
  const createBackend = (options: Partial<DockerBackendOptions> = {}): DockerBackend =>
    tested.createBackend({ ulimits: undefined, ...options });

  test(
    'a user who is not root has no rights of root',
    async () => {
      await using sandbox = await createBackend({ user: '1:1' }).open({ taskId: 'user' });
      expect((await sandbox.run('id -u; grep CapEff /proc/self/status; touch /etc/made 2>&1')).output).toMatch(
        /^1\nCapEff:\t0+\n.*denied\n$/,
      );
    },
    patience,
  );

  test(
    'an image without bash is known by how its start fails, and used by sh',
    async () => {
      await using sandbox = await createBackend().open({ taskId: 'busybox', image: podman.shellImage });
      expect(sandbox.capabilities.keepsShellState).toBe(false);
      const failed = { kind: 'exited', exitCode: 127, output: 'Error: crun: not this: OCI runtime\n' };
      expect(await sandbox.run('echo "Error: crun: not this: OCI runtime"; exit 127')).toMatchObject(failed);
    },
    patience,
  );

  test(
    'an image is looked for by a pull, since Podman asks no registry anything',
    async () => {
      const preflight = createBackend().preflight({ images: ['127.0.0.1:1/absent:1'] });
      const message = expect.stringMatching(/connection refused/);
      await expect(preflight).rejects.toMatchObject({ code: 'sandbox.pull-failed', message });
    },
    patience,
  );

  test(
    'a sandbox is listed, and what is saved of it can be opened',
    async () => {
      const backend = createBackend();
      await using sandbox = await backend.open({ taskId: 'saved' });
      expect(await backend.list()).toContainEqual(
        expect.objectContaining({ id: sandbox.id, taskId: 'saved', ownerState: 'alive', state: 'running' }),
      );
      await sandbox.writeFile('/opt/kept', 'kept');
      const image = (await sandbox.snapshot?.()) ?? '';
      expect(image).toMatch(/^talaria-snapshot:/);
      try {
        await using again = await backend.open({ taskId: 'again', image });
        expect((await again.run('cat /opt/kept')).output).toBe('kept');
      } finally {
        await tested.client.getImage(image).remove({ force: true });
      }
    },
    patience,
  );
});
