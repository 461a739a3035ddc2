import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Secret } from '@talaria/core';
import { describeWithService } from '@talaria/testing-services/services/jest';
import { createDockerBackend, type ImageProgress } from '../src/docker/index.ts';
import { startRegistry } from './docker-registry.ts';
import { useDocker } from './docker-test-backend.ts';

const patience = 120_000;

describe('without an engine', () => {
  const base = { stateFolder: '/nowhere', environment: {}, image: 'x:1' };

  test.each([
    ['unix:///nowhere/docker.sock', /No Docker engine answers at unix:\/\/\/nowhere\/docker\.sock/],
    ['tcp://127.0.0.1:1', /No Docker engine answers at tcp:\/\/127\.0\.0\.1:1/],
    ['127.0.0.1:1', /No Docker engine answers at tcp:\/\/127\.0\.0\.1:1/],
  ])('says that none answers at %s', async (host, message) => {
    for (const given of [{ host }, { environment: { DOCKER_HOST: host } }]) {
      const backend = createDockerBackend({ ...base, ...given });
      const error = { code: 'config.docker-unreachable', message: expect.stringMatching(message) };
      await expect(backend.open({ taskId: 'x' })).rejects.toMatchObject(error);
      await expect(backend.preflight()).rejects.toMatchObject(error);
      await expect(backend.sweep()).rejects.toMatchObject(error);
    }
  });

  test.each([
    ['ssh://user@machine', 'config.unsupported'],
    ['ftp://machine', 'config.invalid'],
    ['tcp://', 'config.invalid'],
  ])('refuses the address %s', async (host, code) => {
    await expect(createDockerBackend({ ...base, host }).preflight()).rejects.toMatchObject({ code });
  });

  test('says which package is missing, and passes on what is wrong inside it', async () => {
    const missing = Object.assign(new Error(`Cannot find package 'dockerode' imported from x`), {
      code: 'ERR_MODULE_NOT_FOUND',
    });
    const backend = createDockerBackend({ ...base, importDockerode: () => Promise.reject(missing) });
    await expect(backend.open({ taskId: 'x' })).rejects.toMatchObject({
      code: 'config.missing-package',
      hint: 'Run: npm install dockerode',
    });
    const other = Object.assign(new Error(`Cannot find package 'ssh2' imported from dockerode`), {
      code: 'ERR_MODULE_NOT_FOUND',
    });
    const broken = createDockerBackend({ ...base, importDockerode: () => Promise.reject(other) });
    await expect(broken.open({ taskId: 'x' })).rejects.toBe(other);
  });

  test('does not look at the variables of the process itself', async () => {
    const before = process.env['DOCKER_HOST'];
    process.env['DOCKER_HOST'] = 'tcp://192.0.2.1:1';
    try {
      const error = { code: 'config.docker-unreachable', message: expect.stringContaining('/nowhere/docker.sock') };
      const backend = createDockerBackend({ ...base, host: '/nowhere/docker.sock' });
      await expect(backend.preflight()).rejects.toMatchObject(error);
    } finally {
      if (before === undefined) delete process.env['DOCKER_HOST'];
      else process.env['DOCKER_HOST'] = before;
    }
  });

  test('refuses what cannot be meant', async () => {
    expect(() => createDockerBackend({ ...base, stateFolder: 'relative' })).toThrow('not absolute');
    const bind = { kind: 'bind', source: 'relative', target: '/x' } as const;
    expect(() => createDockerBackend({ ...base, mounts: [bind] })).toThrow('not absolute');
    const environment = { API_KEY: 'x' };
    expect(() => createDockerBackend({ ...base, environment, passthrough: ['API_KEY'] })).toThrow('looks secret');
    const without = createDockerBackend({ ...base, image: undefined });
    await expect(without.open({ taskId: 'x' })).rejects.toMatchObject({ code: 'config.missing-image' });
  });
});

await describeWithService('docker', process.env, (service) => {
  const docker = useDocker(service);
  const images: string[] = [];

  afterAll(async () => {
    for (const image of images)
      await docker.client
        .getImage(image)
        .remove({ force: true })
        .catch(() => undefined);
  });

  describe('an image that is not there', () => {
    test('is told of by its name where it may not be pulled', async () => {
      const backend = docker.createBackend({ pull: 'never' });
      await expect(backend.open({ taskId: 'x', image: 'talaria-test/absent:7' })).rejects.toMatchObject({
        code: 'config.missing-image',
        message: expect.stringContaining('talaria-test/absent:7'),
      });
    });

    test(
      'is pulled once for all who wait, and tells how it comes along',
      async () => {
        await using registry = await startRegistry({ login: 'reader:open sesame' });
        const image = `${registry.address}/thing:1`;
        images.push(image);
        const heard: ImageProgress[] = [];
        const password = new Secret('REGISTRY_PASSWORD', 'open sesame');
        const backend = docker.createBackend({
          registries: { [registry.address]: { username: 'reader', password } },
          onProgress: (progress) => heard.push(progress),
        });
        await Promise.all([1, 2, 3].map(() => backend.preflight({ images: [image], mode: 'pull' })));
        expect(registry.requests.filter((request) => request.includes('/blobs/')).length).toBe(2);
        expect(heard).toContainEqual(expect.objectContaining({ image, text: 'Pulling from thing' }));
        expect(heard.some(({ layer, totalBytes }) => layer !== undefined && totalBytes === 2_048)).toBe(true);
        await backend.preflight({ images: [image] });
        // It has no shell, so that it can be no sandbox.
        await expect(backend.open({ taskId: 'x', image })).rejects.toMatchObject({
          code: 'sandbox.failed',
          hint: expect.stringContaining('/bin/sh'),
        });
      },
      patience,
    );

    test.each([
      [{ login: 'reader:other' }, /login/, false],
      [{ refusal: { status: 429, code: 'TOOMANYREQUESTS' } }, /limits pulls/, true],
      [{ refusal: { status: 404, code: 'MANIFEST_UNKNOWN' } }, /name and tag/, false],
    ])(
      'says why its registry refuses it: %j',
      async (options, hint, retryable) => {
        await using registry = await startRegistry(options);
        const image = `${registry.address}/thing:1`;
        const failure = { code: 'sandbox.pull-failed', hint: expect.stringMatching(hint), retryable };
        const backend = docker.createBackend();
        await expect(backend.open({ taskId: 'x', image })).rejects.toMatchObject(failure);
        await expect(backend.preflight({ images: [image] })).rejects.toMatchObject(failure);
      },
      patience,
    );

    test(
      'is given up when nobody waits for it',
      async () => {
        await using registry = await startRegistry({ isStuck: true });
        const image = `${registry.address}/thing:1`;
        const reason = new Error('stop');
        const controller = new AbortController();
        const backend = docker.createBackend({ onProgress: () => controller.abort(reason) });
        await expect(backend.open({ taskId: 'x', image }, { signal: controller.signal })).rejects.toBe(reason);
      },
      patience,
    );

    test('is on one list with all others of its kind', async () => {
      const wrong = ['talaria-test/absent:1', 'talaria-test/absent:2'];
      const preflight = docker.createBackend({ pull: 'never' }).preflight({ images: [...wrong, service.image] });
      await expect(preflight).rejects.toMatchObject({
        code: 'config.missing-image',
        message: expect.stringMatching(/^2 of 3 images(?:.|\n)*absent:1(?:.|\n)*absent:2/),
      });
    });
  });

  test(
    'a preflight opens a sandbox from each image when asked to',
    async () => {
      const backend = docker.createBackend();
      await backend.preflight({ mode: 'start', images: [service.image, service.shellImage] });
      expect((await backend.list()).filter(({ taskId }) => taskId === 'preflight')).toEqual([]);
    },
    patience,
  );

  test(
    'a snapshot is an image with the files, the folders and the commands of the first',
    async () => {
      const backend = docker.createBackend();
      await using sandbox = await backend.open({ taskId: 'first' });
      await sandbox.run('echo kept >/srv/file; chmod 600 /srv/file');
      const image = (await sandbox.snapshot?.()) ?? '';
      images.push(image);
      await sandbox.run('rm /srv/file');
      await using restored = await backend.open({ taskId: 'second', image });
      expect((await restored.run('cat /srv/file; stat -c %a /srv/file')).output).toBe('kept\n600\n');
      expect(restored.id).not.toBe(sandbox.id);
      const { Config } = await docker.client.getImage(image).inspect();
      expect(Config.Labels?.['talaria']).toBe('snapshot');
      expect(Config.Cmd).toEqual((await docker.client.getImage(service.image).inspect()).Config.Cmd);
      const plain = await docker.client.createContainer({ Image: image, Cmd: ['id', '-u'] });
      expect(await plain.inspect()).toMatchObject({ Path: 'id', Args: ['-u'] });
      await plain.remove();
    },
    patience,
  );

  test.each(['image', 'shellImage'] as const)(
    'a snapshot holds no variable and nothing of what Talaria keeps in a sandbox (%s)',
    async (name) => {
      const backend = docker.createBackend({ env: { HANDED_ON: 'very-secret-1' } });
      const spec = { taskId: 'secrets', image: service[name], env: { OF_TASK: 'very-secret-2' } };
      await using sandbox = await backend.open(spec);
      await sandbox.run('export OF_COMMAND=very-secret-3');
      const background = await sandbox.spawn('echo $OF_TASK; until [ -e /srv/go ]; do sleep 0.1; done; echo went');
      const started = Promise.withResolvers<void>();
      const running = sandbox.run('echo started; until [ -e /srv/go ]; do sleep 0.1; done; echo $OF_TASK', {
        onOutput: () => started.resolve(),
      });
      await started.promise;
      const image = (await sandbox.snapshot?.()) ?? '';
      images.push(image);
      await sandbox.writeFile('/srv/go', '');
      expect(await running).toMatchObject({ kind: 'exited', output: 'started\nvery-secret-2\n' });
      expect(await background.wait()).toMatchObject({ exitCode: 0 });
      expect(Buffer.from((await background.readOutput(0)).bytes).toString()).toBe('very-secret-2\nwent\n');
      const search = `find / -xdev -name '.talaria*'; grep -rls 'very-secre[t]' /tmp /var /root /home /srv /run /etc`;
      const looker = await docker.client.createContainer({ Image: image, Cmd: ['sh', '-c', search] });
      try {
        await looker.start();
        await looker.wait();
        expect((await looker.logs({ stdout: true, stderr: true })).toString()).toBe('');
      } finally {
        await looker.remove();
      }
      expect(JSON.stringify(await docker.client.getImage(image).inspect())).not.toContain('very-secret');
    },
    patience,
  );

  test(
    'input that is larger than the memory of the state does not fill it',
    async () => {
      await using sandbox = await docker.createBackend({ sharedMemoryMiB: 1 }).open({ taskId: 'input' });
      const stdin = Buffer.alloc(4_194_304, 'x');
      expect(await sandbox.run('wc -c; export KEPT=yes', { stdin })).toMatchObject({ output: '4194304\n' });
      expect(await sandbox.run('echo $KEPT; find / -xdev -name ".talaria*"')).toMatchObject({ output: 'yes\n' });
    },
    patience,
  );

  describe('a build', () => {
    let context: string;
    let tag = '';

    beforeAll(async () => {
      context = await mkdtemp(join(tmpdir(), 'talaria-build-'));
      tag = `talaria-test/built-${process.pid}:1`;
      images.push(tag);
      await mkdir(join(context, 'folder/deep'), { recursive: true });
      await mkdir(join(context, 'ignored'));
      await writeFile(join(context, 'folder/deep/kept.txt'), 'kept');
      await writeFile(join(context, 'folder/deep/dropped.log'), 'dropped');
      await writeFile(join(context, 'ignored/kept'), 'kept');
      await writeFile(join(context, 'ignored/dropped'), 'dropped');
      await writeFile(join(context, 'run.sh'), '#!/bin/sh\n');
      await chmod(join(context, 'run.sh'), 0o755);
      await symlink('run.sh', join(context, 'link'));
      await writeFile(join(context, '.dockerignore'), '**/*.log\nignored\n!ignored/kept\nDockerfile\nsecret.env\n');
      await writeFile(join(context, 'secret.env'), 'secret');
      await writeFile(
        join(context, 'Dockerfile'),
        `FROM ${service.image}\nARG WORD=none\nWORKDIR /there\nCOPY . .\nRUN echo "the word is $WORD"\nENV WORD=$WORD\n`,
      );
      await writeFile(join(context, 'folder/Failing'), `FROM ${service.image}\nRUN echo before the end && exit 7\n`);
      await writeFile(join(context, 'folder/Slow'), `FROM ${service.image}\nRUN sleep 600\n`);
    });

    afterAll(async () => {
      await rm(context, { recursive: true });
    });

    test(
      'makes an image of what is not ignored, and tells of its steps',
      async () => {
        const backend = docker.createBackend({ cwd: 'image' });
        const heard: string[] = [];
        const build = { context, tag, buildArgs: { WORD: `it's "quoted"` }, network: 'none' };
        const [id, same] = await Promise.all([
          backend.buildImage({ ...build, onProgress: ({ text }) => heard.push(text) }),
          backend.buildImage(build),
        ]);
        expect(id).toMatch(/^sha256:[0-9a-f]{64}$/);
        expect(same).toBe(id);
        expect(heard.filter((line) => line.startsWith('Step 1/'))).toHaveLength(1);
        expect(heard).toContain(`the word is it's "quoted"`);
        await using sandbox = await backend.open({ taskId: 'built', image: tag });
        expect((await sandbox.run('pwd; find . | sort; stat -c %a run.sh; readlink link; echo "$WORD"')).output).toBe(
          [
            ...['/there', '.', './.dockerignore', './folder', './folder/Failing', './folder/Slow', './folder/deep'],
            ...['./folder/deep/kept.txt', './ignored', './ignored/kept', './link', './run.sh'],
            ...['755', 'run.sh', `it's "quoted"`, ''],
          ].join('\n'),
        );
      },
      patience,
    );

    test(
      'that fails says where, with the end of its log',
      async () => {
        const backend = docker.createBackend();
        const build = backend.buildImage({ context, dockerfile: 'folder/Failing', tag, network: 'none' });
        await expect(build).rejects.toMatchObject({
          code: 'sandbox.build-failed',
          message: expect.stringMatching(/code: 7(?:.|\n)*before the end/),
        });
      },
      patience,
    );

    test(
      'is given up when nobody waits for it',
      async () => {
        const reason = new Error('stop');
        const controller = new AbortController();
        const backend = docker.createBackend();
        const build = backend.buildImage({
          context,
          dockerfile: 'folder/Slow',
          tag,
          network: 'none',
          signal: controller.signal,
          onProgress: ({ text }) => {
            if (text.includes('Running in')) controller.abort(reason);
          },
        });
        await expect(build).rejects.toBe(reason);
      },
      patience,
    );

    test('without a Dockerfile is refused', async () => {
      const backend = docker.createBackend();
      for (const dockerfile of ['Nowhere', '../Dockerfile', '/etc/passwd', 'folder']) {
        await expect(backend.buildImage({ context, tag, dockerfile })).rejects.toMatchObject({
          code: 'config.invalid',
        });
      }
    });
  });
});
