import { execFile, type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import {
  mkdir,
  mkdtemp,
  open as openFile,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeWithService } from '@talaria/testing-services/services/jest';
import type { Sandbox } from '../src/index.ts';
import { machineMark } from '../src/ledger/machine-mark.ts';
import { judgeOwner } from '../src/ledger/sandbox-owner.ts';
import { removeTree } from '../src/local/remove-tree.ts';
import { createSingularitySetup } from '../src/singularity/create-setup.ts';
import {
  type BuildProgress,
  createSingularityBackend,
  type SingularityBackendOptions,
} from '../src/singularity/index.ts';
import type { RunningInstance } from '../src/singularity/instance-plan.ts';
import { stopInstance } from '../src/singularity/instances.ts';
import { logFilesOf } from '../src/singularity/log-files.ts';
import { launchEnvironment } from '../src/singularity/singularity-program.ts';
import { restartInstance, startInstance } from '../src/singularity/start-instance.ts';
import { startWatchdog } from '../src/singularity/watchdog.ts';

const patience = 60_000;
const runFile = promisify(execFile);

function onSmallDisk(path: string, words: readonly string[]): SpawnSyncReturns<string> {
  const mountAndRun = 'mount -t tmpfs -o size=16m tmpfs "$0" && exec "$@" "$0"';
  return spawnSync('unshare', ['-m', 'bash', '-c', mountAndRun, path, ...words], { encoding: 'utf8' });
}

/** A full disk needs the right to mount; where that is missing the test is skipped, but never where CI asks for it. */
const mayMount = process.env['TALARIA_REQUIRE_SERVICES'] === '1' || onSmallDisk(tmpdir(), ['true']).status === 0;
const testWithDisk = mayMount ? test : test.skip;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'talaria-singularity-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

describe('a machine without the program', () => {
  test('is told of both names and of modules', async () => {
    const backend = createSingularityBackend({ stateFolder: folder, environment: { PATH: folder }, image: '/x.sif' });
    const expected = {
      code: 'config.missing-program',
      message: expect.stringMatching(/apptainer.*singularity/),
      hint: expect.stringContaining('module load'),
    };
    await expect(backend.preflight()).rejects.toMatchObject(expected);
    await expect(backend.open({ taskId: 'one' })).rejects.toMatchObject(expected);
  });

  test('hears that the program which it names is not there', async () => {
    const program = join(folder, 'apptainer');
    const backend = createSingularityBackend({ stateFolder: folder, environment: {}, program });
    await expect(backend.preflight()).rejects.toMatchObject({
      code: 'config.missing-program',
      message: expect.stringContaining(program),
    });
  });
});

describe('the options', () => {
  test.each([
    [{ stateFolder: 'relative' }, 'config.invalid'],
    [{ mounts: [{ source: '/a:b', target: '/c' }] }, 'config.invalid'],
    [{ environment: { API_KEY: 'x' }, passthrough: ['API_KEY'] }, 'config.secret-variable'],
    [{ env: { 'NO NAME': 'x' } }, 'config.invalid-variable'],
  ])('refuse %j', (options, code) => {
    expect(() => createSingularityBackend({ stateFolder: '/s', environment: {}, ...options })).toThrow(
      expect.objectContaining({ code }),
    );
  });
});

await describeWithService('apptainer', process.env, ({ path, image, shellImage }) => {
  const environment = { ...process.env, SERVICE_TOKEN: 'very-secret-value', PASSED: 'handed on' };

  function createBackend(options: Partial<SingularityBackendOptions> = {}) {
    const killGraceMs = 200;
    return createSingularityBackend({
      stateFolder: folder,
      environment,
      program: path,
      image,
      killGraceMs,
      ...options,
    });
  }

  async function outputOf(sandbox: Sandbox, command: string): Promise<string> {
    const result = await sandbox.run(command);
    expect(result).toMatchObject({ kind: 'exited' });
    return result.output;
  }

  /** What is left of sandboxes of this file: files, and instances by their names. */
  async function leftovers(): Promise<readonly string[]> {
    const { stdout } = await runFile(path, ['instance', 'list'], { cwd: '/' });
    const names = stdout.split('\n').map((line) => line.split(' ')[0] ?? '');
    const files = await readdir(join(folder, 'sandboxes'));
    return [...names.filter((name) => name.startsWith('talaria-here')), ...files];
  }

  /** Files that the program keeps of what an instance wrote. */
  async function logsOf(name: string): Promise<readonly string[]> {
    const found = await Promise.all(
      logFilesOf(name, launchEnvironment(environment)).map((file) =>
        stat(file).then(
          () => file,
          () => null,
        ),
      ),
    );
    return found.filter((file) => file !== null);
  }

  let archive: Promise<string> | undefined;
  /** An image as `docker save` writes it, of what the image without bash holds. */
  function shellArchive(): Promise<string> {
    archive ??= makeArchive();
    return archive;
  }
  async function makeArchive(): Promise<string> {
    const parts = join(folder, 'archive');
    const root = join(parts, 'root');
    for (const name of ['etc', 'proc', 'root', 'sys', 'tmp']) await mkdir(join(root, name), { recursive: true });
    await using sandbox = await createBackend().open({ taskId: 'here', image: shellImage });
    await sandbox.download('/bin', join(root, 'bin'));
    await runFile('tar', ['-C', root, '-cf', join(parts, 'layer.tar'), '.']);
    const layer = createHash('sha256').update(await readFile(join(parts, 'layer.tar')));
    const config = {
      architecture: process.arch === 'x64' ? 'amd64' : process.arch,
      os: 'linux',
      config: { Env: ['PATH=/bin', 'FROM_ARCHIVE=yes'], Cmd: ['sh'] },
      rootfs: { type: 'layers', diff_ids: [`sha256:${layer.digest('hex')}`] },
    };
    const manifest = [{ Config: 'config.json', RepoTags: ['talaria-test/shell:1'], Layers: ['layer.tar'] }];
    await writeFile(join(parts, 'config.json'), JSON.stringify(config));
    await writeFile(join(parts, 'manifest.json'), JSON.stringify(manifest));
    const path = join(folder, 'archive.tar');
    await runFile('tar', ['-C', parts, '-cf', path, 'manifest.json', 'config.json', 'layer.tar']);
    return path;
  }

  test(
    'a sandbox sees nothing of its host but what was asked for',
    async () => {
      const shared = join(folder, 'shared');
      await mkdir(shared);
      await writeFile(join(shared, 'note'), 'from the host\n');
      const backend = createBackend({
        passthrough: ['PASSED'],
        env: { SET: 'for all' },
        mounts: [{ source: shared, target: '/shared' }],
      });
      await using sandbox = await backend.open({ taskId: 'here', env: { OWN: 'x' } });
      expect(await outputOf(sandbox, 'echo "$PASSED, $SET, $OWN, $LANG"')).toBe('handed on, for all, x, C.UTF-8\n');
      const all = await outputOf(sandbox, `cat /proc/[0-9]*/environ | tr '\\0' '\\n'; env`);
      expect(all).toContain('HOME=');
      expect(all).not.toMatch(/very-secret-value/);
      expect(await outputOf(sandbox, 'env')).not.toMatch(/^(?:APPTAINER|SINGULARITY|LD_LIBRARY|PROMPT)/m);
      expect(await outputOf(sandbox, `ls -d ${folder} /work 2>&1 | grep -vc 'No such file'`)).toBe('0\n');
      const mounted = await outputOf(sandbox, 'cat /shared/note; touch /shared/new 2>&1');
      expect(mounted).toMatch(/^from the host\n.*Read-only file system/);
      expect((await outputOf(sandbox, 'cat /proc/[0-9]*/comm')).trim().split('\n')).toContain('appinit');
    },
    patience,
  );

  test(
    'a sandbox can change every file, and neither its image nor another sandbox changes',
    async () => {
      const backend = createBackend();
      await using first = await backend.open({ taskId: 'here' });
      await using second = await backend.open({ taskId: 'here' });
      expect(
        await outputOf(first, 'echo x >/etc/new && rm /usr/bin/env && head -c 100M /dev/zero >/var/big; echo $?'),
      ).toBe('0\n');
      expect(await outputOf(second, 'ls /etc/new /usr/bin/env 2>/dev/null')).toBe('/usr/bin/env\n');
    },
    patience,
  );

  test(
    'root inside has few of the rights of root',
    async () => {
      await using sandbox = await createBackend().open({ taskId: 'here' });
      const status = await outputOf(sandbox, 'cat /proc/self/status');
      const rights = BigInt(`0x${/CapEff:\s*([0-9a-f]+)/.exec(status)?.[1]}`);
      const administer = 1n << 21n;
      expect(rights & administer).toBe(0n);
      expect(status).toMatch(/NoNewPrivs:\s*1/);
    },
    patience,
  );

  test(
    'a terminal is one',
    async () => {
      await using sandbox = await createBackend().open({ taskId: 'here' });
      const shown = await sandbox.spawn('test -t 0 && test -t 1 && stty size', { pty: true });
      expect((await shown.wait({ timeoutMs: 20_000 }))?.exitCode).toBe(0);
      expect(Buffer.from((await shown.readOutput(0)).bytes).toString()).toContain('30 120');
    },
    patience,
  );

  test(
    'a task that forbids the network has none',
    async () => {
      await using sandbox = await createBackend().open({ taskId: 'here', allowNetwork: false });
      const interfaces = await outputOf(sandbox, 'tail -n +3 /proc/net/dev | cut -d: -f1');
      expect(interfaces.trim()).toBe('lo');
    },
    patience,
  );

  test(
    'an image without bash does, without what bash keeps',
    async () => {
      await using sandbox = await createBackend().open({ taskId: 'here', image: shellImage });
      expect(sandbox.capabilities.keepsShellState).toBe(false);
      expect(await outputOf(sandbox, 'echo hello; exit 3')).toBe('hello\n');
      await sandbox.writeFile('~/note', 'text');
      expect(Buffer.from((await sandbox.readFile('~/note')).bytes).toString()).toBe('text');
      expect(await sandbox.run('sleep 600', { timeoutMs: 300 })).toMatchObject({ kind: 'timed-out' });
    },
    patience,
  );

  test.each(['sandbox', 'tmpfs'] as const)(
    'files can be changed in the mode %s',
    async (writable) => {
      // Where images cannot be unpacked, this says so, rather than that another way is taken.
      const opening = createBackend({ writable }).open({ taskId: 'here' });
      const outcome = await opening.then(
        async (sandbox) => {
          await using open = sandbox;
          return await outputOf(open, 'echo x >/new && cat /new');
        },
        (error: unknown) => error,
      );
      if (typeof outcome === 'string') expect(outcome).toBe('x\n');
      else expect(outcome).toMatchObject({ code: 'sandbox.failed', message: expect.stringMatching(/capability/) });
      expect(await leftovers()).toEqual([]);
    },
    patience,
  );

  describe('an unpacked image', () => {
    let unpacked: string;
    beforeAll(async () => {
      unpacked = join(folder, 'unpacked');
      await runFile(path, ['build', '--sandbox', unpacked, `docker-archive:${await shellArchive()}`], { cwd: '/' });
    }, patience);

    test.each(['overlay', 'sandbox', 'tmpfs'] as const)(
      'is not changed in the mode %s, and shows what is mounted',
      async (writable) => {
        const shown = join(folder, `shown-${writable}`);
        await mkdir(shown);
        await writeFile(join(shown, 'note'), 'shown\n');
        const mounts = [{ source: shown, target: '/new/place' }];
        const backend = createBackend({ writable, mounts });
        await using sandbox = await backend.open({ taskId: 'here', image: unpacked });
        expect(await outputOf(sandbox, 'cat /new/place/note; echo x >/etc/new && cat /etc/new')).toBe('shown\nx\n');
        expect(await readdir(join(unpacked, 'etc'))).not.toContain('new');
      },
      patience,
    );

    test(
      'has no link that leads a mount out of it',
      async () => {
        const outside = join(folder, 'outside');
        await mkdir(outside);
        await symlink(outside, join(unpacked, 'trap'));
        const mounts = [{ source: outside, target: '/trap/place' }];
        const opening = createBackend({ writable: 'sandbox', mounts }).open({ taskId: 'here', image: unpacked });
        await expect(opening).rejects.toMatchObject({ message: expect.stringContaining('/trap/place') });
        expect(await readdir(outside)).toEqual([]);
        expect(await leftovers()).toEqual([]);
      },
      patience,
    );
  });

  test(
    'an instance whose time is over is ended by its watchdog',
    async () => {
      const setup = createSingularitySetup({ stateFolder: folder, environment, program: path });
      const name = setup.createId('talaria-here');
      const plan = { name, image: shellImage, spec: { taskId: 'here' }, folder: setup.folderOf(name) };
      const { first } = await startInstance(plan, setup, undefined);
      using _watchdog = startWatchdog({ ...setup, ...plan, program: path, expiresAt: Date.now() - 60_000 });
      while (await stat(plan.folder).catch(() => null)) await setup.clock.sleep(20);
      expect(await judgeOwner(first)).toBe('dead');
      expect(await stopInstance(name, setup)).toBe(false);
    },
    patience,
  );

  test(
    'a sandbox that is being closed is not started again by what still ends in it',
    async () => {
      const sandbox = await createBackend().open({ taskId: 'here' });
      const running = [1, 2, 3].map(() => sandbox.spawn(`trap '' TERM; sleep 600`));
      const spawned = await Promise.all(running);
      const ends = spawned.map((started) => started.kill());
      await sandbox[Symbol.asyncDispose]();
      await Promise.allSettled([...ends, sandbox.killAll()]);
      expect(await leftovers()).toEqual([]);
      expect(await logsOf(sandbox.id)).toEqual([]);
    },
    patience,
  );

  test(
    '64 commands in order and 64 beside them at once all answer',
    async () => {
      await using sandbox = await createBackend().open({ taskId: 'here' });
      const numbers = Array.from({ length: 64 }, (_, index) => index);
      const inOrder = numbers.map((number) => sandbox.run(`N=$((N + 1)); echo ${number} $N; export N`));
      const beside = numbers.map((number) => sandbox.run(`echo beside ${number}`, { isStateless: true }));
      const outputs = (await Promise.all([...inOrder, ...beside])).map(({ output }) => output);
      const expected = [...numbers.map((number) => `${number} ${number + 1}\n`)];
      expect(outputs).toEqual([...expected, ...numbers.map((number) => `beside ${number}\n`)]);
    },
    patience,
  );

  testWithDisk(
    'says that the disk is full, and stays usable',
    () => {
      const small = join(folder, 'small');
      mkdirSync(small);
      const fixture = join(import.meta.dirname, 'fixtures/singularity-full-disk.ts');
      const words = [process.execPath, '--conditions=@talaria/source', fixture, path, image];
      const child = onSmallDisk(small, words);
      expect([child.stderr, child.status]).toEqual(['', 0]);
      expect(JSON.parse(child.stdout)).toEqual({
        output: expect.stringContaining('No space left on device'),
        write: 'sandbox.no-space',
        input: 'sandbox.no-space',
        another: { code: 'sandbox.no-space', said: expect.stringContaining(small) },
        after: 'still here\n',
        left: [],
      });
    },
    patience,
  );

  test(
    'an instance that is stopped from outside in the middle of a command is lost',
    async () => {
      const sandbox = await createBackend().open({ taskId: 'here' });
      const running = sandbox.run('echo started; sleep 600', {
        onOutput: () => void runFile(path, ['instance', 'stop', '--signal', 'KILL', sandbox.id], { cwd: '/' }),
      });
      await expect(running).rejects.toMatchObject({ code: 'sandbox.lost', backend: 'singularity' });
      expect(await sandbox.ping()).toBe(false);
      await expect(sandbox.run('true')).rejects.toMatchObject({ code: 'sandbox.lost' });
      await expect(sandbox.readFile('/etc/passwd')).rejects.toMatchObject({ code: 'sandbox.lost' });
      await sandbox[Symbol.asyncDispose]();
      expect(await leftovers()).toEqual([]);
    },
    patience,
  );

  test.each([0, 30, 150, 400, 700])(
    'an open that is aborted after %d ms leaves nothing',
    async (afterMs) => {
      const stop = new AbortController();
      const reason = new Error('stop');
      const opening = createBackend().open({ taskId: 'here' }, { signal: stop.signal });
      setTimeout(() => stop.abort(reason), afterMs);
      await expect(opening).rejects.toBe(reason);
      expect(await leftovers()).toEqual([]);
    },
    patience,
  );

  test(
    'an image that is none is told of, and nothing is left',
    async () => {
      const text = join(folder, 'text.sif');
      await writeFile(text, 'no image');
      const backend = createBackend();
      await expect(backend.open({ taskId: 'here', image: text })).rejects.toMatchObject({
        code: 'sandbox.failed',
        phase: 'create',
        message: expect.stringContaining(text),
      });
      await expect(backend.open({ taskId: 'here', image: join(folder, 'none.sif') })).rejects.toMatchObject({
        code: 'config.missing-image',
      });
      await expect(backend.open({ taskId: 'here', image: './x.sif' })).rejects.toMatchObject({
        code: 'config.invalid',
      });
      expect(await leftovers()).toEqual([]);
    },
    patience,
  );

  test(
    'an image that cannot be built is told of with the end of the log',
    async () => {
      const definition = join(folder, 'wrong.def');
      await writeFile(definition, 'Bootstrap: localimage\nFrom: /no/such/image.sif\n');
      const opening = createBackend().open({ taskId: 'here', image: definition });
      await expect(opening).rejects.toMatchObject({
        code: 'sandbox.build-failed',
        message: expect.stringContaining('/no/such/image.sif'),
      });
      expect((await readdir(join(folder, 'images'))).filter((name) => name.includes('wrong'))).toEqual([]);
    },
    patience,
  );

  test(
    'an image is built once by two backends that ask at the same time',
    async () => {
      const definition = join(folder, 'scratch.def');
      await writeFile(definition, 'Bootstrap: scratch\n');
      const built: unknown[] = [];
      const hear = (event: string) => event === 'image.building' && built.push(event);
      const logger = { debug: hear, info: hear, warn: hear, error: hear };
      const backends = [createBackend({ logger }), createBackend({ logger })];
      await Promise.all(backends.map((backend) => backend.preflight({ images: [definition] })));
      await createBackend({ logger }).preflight({ images: [definition] });
      expect(built).toHaveLength(1);
      expect((await readdir(join(folder, 'images'))).filter((name) => /scratch.*\.sif$/.test(name))).toHaveLength(1);
    },
    patience,
  );

  test(
    'a build tells what it does, and one that is aborted leaves nothing',
    async () => {
      const images = join(folder, 'told');
      const definition = join(folder, 'told.def');
      await writeFile(definition, 'Bootstrap: scratch\n');
      const told: string[] = [];
      const onProgress = ({ text }: BuildProgress) => void told.push(text);
      const backend = createBackend({ cacheFolder: images, onProgress });
      const stop = new AbortController();
      const stopped = createBackend({
        cacheFolder: images,
        onProgress: () => stop.abort('enough'),
      }).preflight({ images: [definition], signal: stop.signal });
      await expect(stopped).rejects.toBe('enough');
      // The lock and the folder of the build go when the program has really ended.
      await backend.preflight({ images: [definition] });
      expect(told).toContainEqual(expect.stringContaining('Creating SIF file'));
      expect((await readdir(images)).filter((name) => !/\.sif(?:\.sum)?$/.test(name))).toEqual([]);
    },
    patience,
  );

  test(
    'a built image that was spoilt is built again',
    async () => {
      const images = join(folder, 'spoilt');
      const events: string[] = [];
      const hear = (event: string) => void events.push(event);
      const backend = createBackend({
        cacheFolder: images,
        image: `docker-archive:${await shellArchive()}`,
        logger: { debug: hear, info: hear, warn: hear, error: hear },
      });
      async function open(): Promise<void> {
        await using sandbox = await backend.open({ taskId: 'here' });
        expect(await outputOf(sandbox, 'echo "$FROM_ARCHIVE"')).toBe('yes\n');
      }
      await open();
      const built = join(images, (await readdir(images)).find((name) => name.endsWith('.sif')) ?? '');
      const { size } = await stat(built);
      await truncate(built, size - 4_096);
      await open();
      // Of the same length, so that only its content tells.
      await using file = await openFile(built, 'r+');
      await file.write(Buffer.alloc(size - 65_536), 0, size - 65_536, 65_536);
      await open();
      expect(events.filter((event) => event === 'image.building')).toHaveLength(3);
      expect(events.filter((event) => event === 'image.damaged')).toHaveLength(1);
      expect(await leftovers()).toEqual([]);
    },
    patience,
  );

  test(
    'what a killed builder left is swept',
    async () => {
      const images = join(folder, 'left');
      const ended = spawn('true');
      await once(ended, 'exit');
      const mark = await machineMark();
      const names = [`build-${mark}-${ended.pid}_a`, `build-${mark}-${process.pid}_b`, `build-0123456789abcdef-1_c`];
      for (const name of names) await mkdir(join(images, name, 'tmp'), { recursive: true });
      await createBackend({ cacheFolder: images }).sweep();
      expect((await readdir(images)).toSorted()).toEqual(names.slice(1).toSorted());
    },
    patience,
  );

  test(
    'what a killed owner left is listed and swept',
    async () => {
      const backend = createBackend();
      const fixture = fileURLToPath(new URL('./fixtures/singularity-owner.ts', import.meta.url));
      const owner = spawn(process.execPath, ['--conditions=@talaria/source', fixture, folder, path, image], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [line] = await once(owner.stdout, 'data');
      const id = /ready (\S+)/.exec(String(line))?.[1];
      await using own = await backend.open({ taskId: 'here' });
      expect(await backend.sweep()).toEqual({ removed: [], failed: [] });
      owner.kill('SIGKILL');
      await once(owner, 'exit');
      const listed = await backend.list();
      expect(listed.find((listing) => listing.id === id)).toMatchObject({ ownerState: 'dead', state: 'running' });
      expect(await backend.sweep()).toEqual({ removed: [id], failed: [] });
      expect((await backend.list()).map((listing) => listing.id)).toEqual([own.id]);
      expect(await own.ping()).toBe(true);
    },
    patience,
  );

  test(
    'one sandbox can be removed by its name, and its user loses it',
    async () => {
      const backend = createBackend();
      await using sandbox = await backend.open({ taskId: 'here' });
      expect(await backend.remove?.(sandbox.id)).toBe(true);
      expect(await backend.remove?.(sandbox.id)).toBe(false);
      await expect(sandbox.run('true')).rejects.toMatchObject({ code: 'sandbox.lost' });
      expect(await leftovers()).toEqual([]);
    },
    patience,
  );

  test('an instance that is started again has its files, and none of its processes', async () => {
    const setup = createSingularitySetup({ stateFolder: folder, environment, program: path });
    const name = setup.createId('talaria-here');
    const plan = { name, image, spec: { taskId: 'here' }, folder: setup.folderOf(name) };
    async function outputIn({ privileges }: RunningInstance, script: string): Promise<string> {
      const words = ['exec', ...privileges.forExec, `instance://${name}`, 'sh', '-c', script];
      return (await setup.call(words, { timeoutMs: patience })).stdout;
    }
    try {
      const first = await startInstance(plan, setup, undefined);
      await outputIn(first, 'echo kept >/kept; setsid sleep 600 >/dev/null 2>&1 </dev/null &');
      const second = await restartInstance(plan, setup, first);
      expect(second.first.pid).not.toBe(first.first.pid);
      const shown = await outputIn(second, 'cat /kept /proc/[0-9]*/comm');
      expect(shown).toMatch(/^kept\n/);
      expect(shown).not.toContain('sleep');
    } finally {
      await stopInstance(name, setup);
      await removeTree(plan.folder);
    }
  }, 60_000);
});
