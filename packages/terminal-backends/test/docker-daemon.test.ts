import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { describeWithService } from '@talaria/testing-services/services/jest';
import Dockerode from 'dockerode';
import { createDockerBackend, type DockerBackend } from '../src/docker/index.ts';

const patience = 180_000;

/** An engine of the test's own: it can be ended without harm to anybody. */
class OwnEngine {
  readonly folder: string;
  #process: ChildProcess | null = null;

  constructor(folder: string) {
    this.folder = folder;
  }

  get socketPath(): string {
    return join(this.folder, 'docker.sock');
  }

  async start(): Promise<void> {
    const at = (name: string): string => join(this.folder, name);
    const places = ['--data-root', at('data'), '--exec-root', at('exec'), '--pidfile', at('pid')];
    const network = ['--bridge=none', '--iptables=false', '--ip6tables=false'];
    // Without a bridge an engine takes away the one that is there: in a network of its own, that is nobody else's.
    const words = ['--net', 'dockerd', '--host', `unix://${this.socketPath}`, ...places, ...network];
    const started = spawn('unshare', words, {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#process = started;
    let log = '';
    await new Promise<void>((resolve, reject) => {
      started.stderr.on('data', (chunk) => {
        log = `${log}${chunk}`.slice(-20_000);
        if (log.includes('API listen on')) resolve();
      });
      started.once('error', reject).once('exit', () => reject(new Error(`dockerd ended:\n${log}`)));
    });
  }

  async stop(signal: NodeJS.Signals): Promise<void> {
    const running = this.#process;
    this.#process = null;
    if (running === null || running.exitCode !== null) return;
    const ended = once(running, 'exit');
    running.kill(signal);
    await ended;
    // One that was killed leaves its containerd dying, and a file that says it runs.
    if (signal === 'SIGKILL') {
      await this.#endHelpers('containerd');
      await rm(join(this.folder, 'exec/containerd/containerd.pid'), { force: true });
    }
  }

  /** Ends programs of this engine: all of them name its folder. */
  async #endHelpers(program: string): Promise<void> {
    const numbers = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    for (const pid of numbers) {
      const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      const isOurs = basename(words.split('\0')[0] ?? '').startsWith(program) && words.includes(`${this.folder}/`);
      if (isOurs && (program !== 'containerd' || !words.includes('-shim'))) process.kill(Number(pid), 'SIGKILL');
    }
  }

  async remove(): Promise<void> {
    await this.stop('SIGTERM');
    await this.#endHelpers('containerd-shim');
    // What was mounted when it was killed stays so.
    const mounts = (await readFile('/proc/mounts', 'utf8')).split('\n').map((line) => line.split(' ')[1] ?? '');
    for (const mount of mounts.filter((path) => path.startsWith(`${this.folder}/`)).toReversed()) {
      await once(spawn('umount', ['--lazy', mount]), 'exit');
    }
    await rm(this.folder, { recursive: true, force: true });
  }
}

const isWanted = process.env['TALARIA_REQUIRE_SERVICES'] === '1';

await describeWithService('docker', process.env, ({ socketPath, image }) => {
  async function copyImage(engine: OwnEngine): Promise<void> {
    const client = new Dockerode({ socketPath: engine.socketPath });
    const loading = await client.loadImage(await new Dockerode({ socketPath }).getImage(image).get());
    for await (const _line of loading);
  }

  async function endUnderSandbox(engine: OwnEngine, backend: DockerBackend, signal: NodeJS.Signals): Promise<void> {
    const sandbox = await backend.open({ taskId: signal });
    const running = sandbox.run('sleep 600');
    const lost = expect(running).rejects.toMatchObject({ code: 'sandbox.lost', started: true });
    await engine.stop(signal);
    await lost;
    expect(await sandbox.ping()).toBe(false);
    const gone = { code: expect.stringMatching(/^(?:sandbox\.lost|config\.docker-unreachable)$/) };
    await expect(sandbox.run('true')).rejects.toMatchObject(gone);
    await expect(backend.open({ taskId: 'down' })).rejects.toMatchObject({ code: 'config.docker-unreachable' });
    await engine.start();
    await expect(sandbox.run('true')).rejects.toMatchObject({ code: 'sandbox.lost' });
    await sandbox[Symbol.asyncDispose]();
    const next = await backend.open({ taskId: 'again' });
    expect(await next.run('echo on')).toMatchObject({ kind: 'exited', output: 'on\n' });
    expect((await backend.list()).map(({ id }) => id)).toEqual([next.id]);
    await next[Symbol.asyncDispose]();
    expect(await backend.list()).toEqual([]);
  }

  // It takes root, the program dockerd, and a copy of the image.
  const declare = isWanted ? test : test.skip;
  declare(
    'an engine that ends under its sandboxes loses them, says so, and serves again once it is back',
    async () => {
      const engine = new OwnEngine(await mkdtemp(join(tmpdir(), 'talaria-dockerd-')));
      try {
        await engine.start();
        await copyImage(engine);
        const backend = createDockerBackend({
          stateFolder: join(engine.folder, 'state'),
          environment: {},
          host: `unix://${engine.socketPath}`,
          image,
          ulimits: { core: { soft: 0, hard: 0 } },
          allowNetwork: false,
        });
        await endUnderSandbox(engine, backend, 'SIGTERM');
        await endUnderSandbox(engine, backend, 'SIGKILL');
      } finally {
        await engine.remove();
      }
    },
    patience,
  );
});
