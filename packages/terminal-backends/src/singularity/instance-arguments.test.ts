import { describe, expect, test } from '@jest/globals';
import { forbidsNetwork, limitArguments, type StartRequest, startArguments } from './instance-arguments.ts';
import type { SingularityBackendOptions } from './singularity-options.ts';

const options: SingularityBackendOptions = { stateFolder: '/state', environment: {} };
const request: StartRequest = {
  name: 'talaria-a',
  image: '/images/a.sif',
  folder: '/scratch/talaria-a',
  mode: 'overlay',
  privileges: { forStart: ['--no-privs'], forExec: [], isRoot: true },
  limits: [],
  hasNetwork: true,
};

function argumentsOf(change: Partial<StartRequest>, more: Partial<SingularityBackendOptions> = {}): string {
  return startArguments({ ...request, ...change }, { ...options, ...more }).join(' ');
}

describe('startArguments', () => {
  test('contain everything, clean the environment, and leave the home of the host out', () => {
    expect(argumentsOf({})).toBe(
      'instance start --containall --cleanenv --no-umask --workdir /scratch/talaria-a/work ' +
        '--pid-file /scratch/talaria-a/pid --no-home --no-privs --overlay /scratch/talaria-a/files /images/a.sif talaria-a',
    );
  });

  test.each([
    ['sandbox', '--writable /scratch/talaria-a/files talaria-a'],
    ['overlay-image', '--overlay /scratch/talaria-a/files/overlay.img /images/a.sif talaria-a'],
    ['tmpfs', '--writable-tmpfs /images/a.sif talaria-a'],
  ] as const)('make files writable in the mode %s', (mode, expected) => {
    expect(argumentsOf({ mode }).endsWith(` ${expected}`)).toBe(true);
  });

  test('take the network away, show graphics cards, and mount read-only unless told otherwise', () => {
    const mounts = [
      { source: '/data', target: '/in' },
      { source: '/out', target: '/out', isReadOnly: false },
    ];
    const all = argumentsOf({ hasNetwork: false, limits: ['--cpus', '2'] }, { nvidia: true, mounts });
    expect(all).toContain('--net --network none --cpus 2 --nv --bind /data:/in:ro --bind /out:/out:rw --overlay');
  });

  test('keep the home of a user who is not root, which comes from the work folder', () => {
    const privileges = { forStart: [], forExec: [], isRoot: false };
    expect(argumentsOf({ privileges })).not.toContain('--no-home');
  });
});

describe('limitArguments', () => {
  test.each([
    [{}, {}, '--pids-limit 512'],
    [{ memoryMiB: 200, cpus: 1.5 }, { maxProcesses: 64 }, '--memory 200M --cpus 1.5 --pids-limit 64'],
  ])('%j %j', (spec, more, expected) => {
    expect(limitArguments({ taskId: 'a', ...spec }, { ...options, ...more }).join(' ')).toBe(expected);
  });
});

describe('forbidsNetwork', () => {
  test.each([
    [undefined, undefined, false],
    [undefined, false, true],
    [true, false, false],
    [false, true, true],
  ])('with %j in the task and %j in the options gives %j', (allowNetwork, ofAll, expected) => {
    expect(forbidsNetwork({ taskId: 'a', allowNetwork }, { ...options, allowNetwork: ofAll })).toBe(expected);
  });
});
