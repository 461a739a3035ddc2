import { expect, test } from '@jest/globals';
import { livenessOf, ownIdentity, type ProcessIdentity } from './process-identity.ts';

const self: ProcessIdentity = { ...(await ownIdentity()), machineId: 'this-machine' };

test.each<[string, Partial<ProcessIdentity>, string]>([
  ['this very process', {}, 'alive'],
  ['an earlier process with its number', { startTicks: '1' }, 'dead'],
  ['another machine', { host: 'elsewhere' }, 'unknown'],
  ['this machine before it was started anew', { bootId: 'another' }, 'dead'],
  ['another machine of the same name', { bootId: 'another', machineId: 'another' }, 'unknown'],
  ['a machine that nothing tells from others of its name', { bootId: 'another', machineId: '' }, 'unknown'],
  ['another container on this machine', { pidNamespace: 'pid:[1]' }, 'unknown'],
])('of %s', async (_name, change, expected) => {
  expect(await livenessOf({ ...self, ...change }, self)).toBe(expected);
});
