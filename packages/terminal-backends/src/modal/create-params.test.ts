import { describe, expect, test } from '@jest/globals';
import { createParams } from './create-params.ts';

const options = { stateFolder: '/state', environment: {} };
const plan = { name: 'talaria-x', tags: { talaria: '1' }, spec: { taskId: 'x' }, options };

describe('createParams', () => {
  test('asks for no more than a name, tags and a lifetime where nothing else is said', () => {
    expect(createParams(plan)).toEqual({ name: 'talaria-x', tags: { talaria: '1' }, timeoutMs: 3_660_000 });
  });

  test('gives a task what it asks for, and not more', () => {
    const spec = { taskId: 'x', cpus: 0.5, memoryMiB: 100.5, maxLifetimeMs: 1_500, cwd: '/app', allowNetwork: false };
    expect(createParams({ ...plan, spec })).toEqual({
      name: 'talaria-x',
      tags: { talaria: '1' },
      timeoutMs: 62_000,
      cpu: 0.5,
      cpuLimit: 0.5,
      memoryMiB: 101,
      memoryLimitMiB: 101,
      blockNetwork: true,
    });
  });

  test('takes from the options what the task leaves open', () => {
    const more = {
      ...options,
      cpus: 2,
      cpuLimit: 4,
      memoryMiB: 512,
      memoryLimitMiB: 256,
      gpu: 'T4',
      regions: ['us-east'],
      idleTimeoutMs: 60_001,
      allowedCidrs: ['10.0.0.0/8'],
      allowedDomains: ['*.example.org'],
    };
    expect(createParams({ ...plan, options: more })).toMatchObject({
      cpu: 2,
      cpuLimit: 4,
      memoryMiB: 512,
      memoryLimitMiB: 512,
      gpu: 'T4',
      regions: ['us-east'],
      idleTimeoutMs: 61_000,
      outboundCidrAllowlist: ['10.0.0.0/8'],
      outboundDomainAllowlist: ['*.example.org'],
    });
    expect(createParams({ ...plan, spec: { taskId: 'x', cwd: '~/deep' }, options: more })).not.toHaveProperty(
      'workdir',
    );
    expect(createParams({ ...plan, options: { ...more, allowNetwork: false } })).toMatchObject({ blockNetwork: true });
  });
});
