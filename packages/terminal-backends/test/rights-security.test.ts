import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Sandbox } from '../src/index.ts';
import { describeEveryBackend, outputOf } from './every-backend.ts';

const patience = 60_000;

/** The rights that packages need to be installed: CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID, NET_BIND_SERVICE, SETFCAP. */
const rightsOfRoot = [0, 1, 3, 4, 5, 6, 7, 10, 31].reduce((sum, bit) => sum | (1n << BigInt(bit)), 0n);

await describeEveryBackend(
  ({ kind, createBackend }) => {
    let sandbox: Sandbox;
    beforeAll(async () => {
      sandbox = await createBackend().open({ taskId: 'rights' });
    }, patience);
    afterAll(async () => {
      await sandbox[Symbol.asyncDispose]();
    }, patience);

    const output = (command: string): Promise<string> => outputOf(sandbox, command);

    test('gives every process few of the rights of root, and no way to more', async () => {
      const background = await sandbox.spawn('cat /proc/self/status');
      await background.wait();
      const seen = [
        await output('cat /proc/self/status'),
        (await sandbox.runProgram(['cat', '/proc/self/status'])).output,
        Buffer.from((await background.readOutput(0)).bytes).toString(),
      ];
      for (const status of seen) {
        for (const set of ['CapEff', 'CapPrm', 'CapBnd']) {
          expect({ set, beyond: capabilitiesIn(status, set) & ~rightsOfRoot }).toEqual({ set, beyond: 0n });
        }
        expect(status).toMatch(/^NoNewPrivs:\s*1$/m);
      }
    });

    test('lets nobody mount, trace what belongs to the engine, load modules, make devices or set the clock', async () => {
      const tries = [
        'mkdir -p /tmp/m && mount -t tmpfs none /tmp/m',
        'unshare --mount true',
        'mknod /tmp/disk b 7 0',
        'date -s @0',
        'hostname talaria-changed',
        'chroot / true',
        'echo 1 >/proc/sys/kernel/sysrq',
      ];
      for (const attempt of tries) {
        const result = await sandbox.run(`${attempt} 2>&1`);
        expect({ attempt, isDone: result.kind === 'exited' && result.exitCode === 0 }).toEqual({
          attempt,
          isDone: false,
        });
      }
    });

    test('a program with the setuid bit stays who it is', async () => {
      const command =
        'cp /usr/bin/id /var/tmp/id && chmod 4755 /var/tmp/id && setpriv --reuid 1234 --clear-groups /var/tmp/id -u';
      expect(await output(command)).toBe('1234\n');
    });

    // Only where limits can be set; of a machine on which Singularity cannot, the log tells.
    if (kind !== 'docker') return;
    test(
      'a command that starts processes without end finds a limit, and harms nobody',
      async () => {
        // Not bash, which would wait longer and longer for room.
        const command = `sh -c 'for i in $(seq 600); do sleep 600 & done; echo all'`;
        const { output: said } = await sandbox.run(command);
        expect(said).toMatch(/fork/);
        expect(said).not.toMatch(/^all$/m);
        await sandbox.killAll();
        expect(await output('echo on')).toBe('on\n');
      },
      patience,
    );
  },
  ['docker', 'singularity'],
);

function capabilitiesIn(status: string, name: string): bigint {
  const value = new RegExp(`^${name}:\\s*([0-9a-f]+)$`, 'm').exec(status)?.[1];
  if (value === undefined) throw new Error(`${name} is not told`);
  return BigInt(`0x${value}`);
}
