import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { settleWithin, silentLogger, systemClock } from '@talaria/core';
import type { Sandbox, SandboxCapabilities } from '../src/index.ts';
import { createKiller } from '../src/remote/killer.ts';
import { openRemoteSandbox } from '../src/remote/open-remote-sandbox.ts';
import { abortOperations, expectAborted, prepareSandbox } from './abort-operations.ts';
import { processesWith, until } from './fixtures/ssh-server.ts';
import { createProcessTransport } from './process-transport.ts';
import { createSteppingTransport, type SteppingTransport } from './stepping-transport.ts';

const capabilities: SandboxCapabilities = {
  isolation: 'none',
  keepsShellState: true,
  stdin: true,
  pty: false,
  network: 'fixed',
  snapshot: false,
  resourceLimits: false,
  images: false,
};
const tools = { clock: systemClock, logger: silentLogger, killGraceMs: 50 };
const patience = 120_000;
/** An operation that takes more steps than this never ends. */
const mostSteps = 400;

let host: string;
let count = 0;

interface SteppingSandbox {
  readonly sandbox: Sandbox;
  readonly transport: SteppingTransport;
}

/** A sandbox of the engine that all remote backends share, whose processes are children of this one. */
class Place {
  readonly id = `abort${process.pid}x${count++}`;
  readonly folder = join(host, this.id);
  readonly transport = createSteppingTransport(
    createProcessTransport({ PATH: process.env['PATH'] ?? '', HOME: this.folder, PLACE_ID: this.id }),
  );

  async open(signal: AbortSignal): Promise<SteppingSandbox> {
    await mkdir(this.folder);
    const everything = { mode: 'sandbox' as const, sandboxId: this.id, limitMark: null };
    try {
      const sandbox = await openRemoteSandbox(
        {
          sandboxId: this.id,
          spec: { taskId: 'abort', defaultTimeoutMs: 20_000 },
          transport: this.transport,
          capabilities,
          source: { hostEnvironment: {}, passthrough: [], allowSecretEnv: [] },
          env: {},
          tools,
          places: { home: join(this.folder, 'home'), temporaryFolder: join(this.folder, 'tmp') },
          everything,
          remove: async () => {
            await createKiller(this.transport, tools).end(everything, tools.killGraceMs);
            await this.#remove();
          },
        },
        signal,
      );
      return { sandbox, transport: this.transport };
    } catch (error) {
      await this.#remove();
      throw error;
    }
  }

  /** Takes away what lies on this machine only because here it stands for the sandbox. */
  async #remove(): Promise<void> {
    await settleWithin(() => rm(this.folder, { recursive: true, force: true, maxRetries: 5 }), 10_000, silentLogger);
    for (const parent of ['/dev/shm', tmpdir()]) {
      const names = (await readdir(parent)).filter((name) => name.includes(this.id.slice(-12)));
      for (const name of names) await rm(join(parent, name), { recursive: true, force: true, maxRetries: 5 });
    }
  }

  /** Asserts that nothing of it is left: launchers end when they notice that their input has. */
  async expectGone(): Promise<void> {
    await until(async () => (await processesWith(`PLACE_ID=${this.id}`)).length === 0, `nothing of ${this.id} runs`);
    expect((await readdir(host)).filter((name) => name === this.id)).toEqual([]);
  }
}

beforeAll(async () => {
  host = await mkdtemp(join(tmpdir(), 'talaria-step-'));
  await mkdir(join(host, 'tree/deep'), { recursive: true });
  await writeFile(join(host, 'tree/file'), Buffer.alloc(100_000, 'x'));
  await writeFile(join(host, 'tree/deep/small'), 'y');
});

afterAll(async () => {
  await rm(host, { recursive: true });
});

/** Processes of commands and of scripts; not launchers, which wait for the next command. */
async function workers(id: string): Promise<readonly number[]> {
  const found: number[] = [];
  for (const pid of await processesWith(`PLACE_ID=${id}`)) {
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
    if (environment.includes('TALARIA_EXEC_ID=')) found.push(pid);
  }
  return found;
}

/** Tries every step until one is not reached any more. `fire` now, or when all that is ready has been done. */
async function atEveryStep(attempt: (at: number, isLate: boolean) => Promise<boolean>): Promise<number> {
  for (let at = 1; at <= mostSteps; at += 1) {
    const wasReached = await attempt(at, at % 2 === 0);
    if (!wasReached) return at - 1;
  }
  throw new Error(`There is no end after ${mostSteps} steps`);
}

function armAbort(transport: SteppingTransport, at: number, isLate: boolean): { signal: AbortSignal; reason: Error } {
  const controller = new AbortController();
  const reason = new Error(`stop at ${at}`);
  transport.arm(at, () => (isLate ? setImmediate(() => controller.abort(reason)) : controller.abort(reason)));
  return { signal: controller.signal, reason };
}

(process.platform === 'linux' ? describe : describe.skip)('an abort at every step of the remote engine', () => {
  let place: Place;
  let open: SteppingSandbox;

  beforeAll(async () => {
    place = new Place();
    open = await place.open(new AbortController().signal);
    await prepareSandbox(open.sandbox, host);
  });

  afterAll(async () => {
    await open.sandbox[Symbol.asyncDispose]();
    await place.expectGone();
  });

  test.each(Object.entries(abortOperations))(
    'ends %s with the reason, leaves nothing, and the sandbox goes on',
    async (name, operate) => {
      const startsProcesses = /^(?:run|spawn)/.test(name);
      const { sandbox, transport } = open;
      const steps = await atEveryStep(async (at, isLate) => {
        const { signal, reason } = armAbort(transport, at, isLate);
        const ending = await expectAborted(operate(sandbox, signal, host), reason);
        const wasReached = transport.stepCount() >= at;
        // What a command that was done before leaves in the background lives on.
        if (ending === 'done' && startsProcesses) await sandbox.killAll();
        await until(async () => (await workers(place.id)).length === 0, `step ${at} leaves no process`);
        const left = [...(await readdir(sandbox.home)), ...(await readdir(host))];
        expect(left.filter((name) => name.includes('.talaria-'))).toEqual([]);
        return wasReached;
      });
      expect(steps).toBeGreaterThan(0);
      expect((await sandbox.run('echo on')).output).toBe('on\n');
    },
    patience,
  );

  test(
    'of a command leaves killAll as it is, and killAll the sandbox',
    async () => {
      const { sandbox, transport } = open;
      await atEveryStep(async (at, isLate) => {
        await sandbox.run('rm -f ~/ready');
        const controller = new AbortController();
        const running = sandbox.run('setsid sleep 600 & echo > ~/ready; sleep 600', { signal: controller.signal });
        running.catch(() => undefined);
        await until(async () => (await readdir(sandbox.home)).includes('ready'), 'it runs');
        const abort = (): void => controller.abort(new Error('stop'));
        transport.arm(at, () => (isLate ? setImmediate(abort) : abort()));
        await sandbox.killAll();
        const wasReached = transport.stepCount() >= at;
        expect((await running).kind).toMatch(/^(?:exited|interrupted)$/);
        await until(async () => (await workers(place.id)).length === 0, 'nothing runs');
        return wasReached;
      });
      expect((await sandbox.run('echo on')).output).toBe('on\n');
    },
    patience,
  );
});

(process.platform === 'linux' ? describe : describe.skip)('the whole life of a remote sandbox', () => {
  test(
    'ends with the reason when its opening is aborted at any step, and leaves nothing',
    async () => {
      const steps = await atEveryStep(async (at, isLate) => {
        const place = new Place();
        const { signal, reason } = armAbort(place.transport, at, isLate);
        const opened = await place.open(signal).catch((error: unknown) => {
          expect(error).toBe(reason);
          return null;
        });
        const wasReached = place.transport.stepCount() >= at;
        await opened?.sandbox[Symbol.asyncDispose]();
        await place.expectGone();
        return wasReached;
      });
      expect(steps).toBeGreaterThan(2);
    },
    patience,
  );

  test(
    'ends once, at whatever step of its disposal the command in it is aborted',
    async () => {
      await atEveryStep(async (at, isLate) => {
        const place = new Place();
        const { sandbox, transport } = await place.open(new AbortController().signal);
        const controller = new AbortController();
        const reason = new Error('stop');
        const running = sandbox.run('trap "" TERM; echo > ~/ready; sleep 600', { signal: controller.signal }).then(
          ({ kind }) => kind,
          (error: unknown) => (error === reason ? 'reason' : error),
        );
        await until(async () => (await readdir(sandbox.home)).includes('ready'), 'it runs');
        transport.arm(at, () => (isLate ? setImmediate(() => controller.abort(reason)) : controller.abort(reason)));
        await Promise.all([sandbox[Symbol.asyncDispose](), sandbox[Symbol.asyncDispose]()]);
        const wasReached = transport.stepCount() >= at;
        const outcome = await running;
        if (outcome !== 'interrupted') expect(outcome).toMatchObject({ code: 'sandbox.closed' });
        await place.expectGone();
        return wasReached;
      });
    },
    patience,
  );
});
