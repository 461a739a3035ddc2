import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Machine } from '@talaria/core';
import { describeOwner, judgeOwner, judgeSharedOwner, parseOwner, type SandboxOwner } from './sandbox-owner.ts';

let self: SandboxOwner;
let here: Machine;

beforeAll(async () => {
  const { host, bootId, pidNamespace, pid, startMark } = await describeOwner(process.pid);
  here = { host, bootId: bootId || 'boot', pidNamespace, machineId: 'machine' };
  self = { ...here, pid, startMark };
});

const ended = { startMark: '1' };
const before = { bootId: 'another' };

describe('an owner', () => {
  test.each<[what: string, owner: Partial<SandboxOwner>, local: string, shared: string]>([
    ['that runs', {}, 'alive', 'alive'],
    ['that has ended', ended, 'dead', 'dead'],
    ['of another machine', { host: 'another.example', ...ended }, 'unknown', 'unknown'],
    ['of another process space', { pidNamespace: 'pid:[1]', ...ended }, 'unknown', 'unknown'],
    ['of another boot of this machine, which may have a copy', before, 'dead', 'unknown'],
    ['of another boot of a machine of this name', { ...before, machineId: 'other' }, 'unknown', 'unknown'],
    ['of another boot of nobody knows which machine', { ...before, machineId: undefined }, 'unknown', 'unknown'],
    ['of another boot of a container', { ...before, machineId: '' }, 'unknown', 'unknown'],
  ])('%s', async (_what, owner, local, shared) => {
    expect([
      await judgeOwner({ ...self, ...owner }, here),
      await judgeSharedOwner({ ...self, ...owner }, here),
    ]).toEqual([local, shared]);
  });

  test('of another boot is not told from others where this machine has no number', async () => {
    expect(await judgeOwner({ ...self, ...before, machineId: '' }, { ...here, machineId: '' })).toBe('unknown');
  });

  test('that has ended may be of another machine where boots cannot be told apart', async () => {
    const nowhere = { ...here, bootId: '' };
    expect(await judgeSharedOwner({ ...self, ...ended, bootId: '' }, nowhere)).toBe('unknown');
    expect(await judgeSharedOwner({ ...self, bootId: '' }, nowhere)).toBe('alive');
    expect(await judgeOwner({ ...self, ...ended, bootId: '' }, nowhere)).toBe('dead');
  });

  test('can be read again after it was JSON, with the number of its machine or without', () => {
    const { machineId: _machineId, ...older } = self;
    for (const owner of [self, older]) expect(parseOwner(JSON.parse(JSON.stringify(owner)))).toEqual(owner);
    expect(parseOwner({ ...older, pid: 'seven' })).toBeNull();
  });
});
