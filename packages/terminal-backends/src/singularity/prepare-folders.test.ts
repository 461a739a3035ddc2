import { describe, expect, test } from '@jest/globals';
import { findMissingMount } from './prepare-folders.ts';

const output = `INFO:    Instance stats will not be available
WARNING: Skipping mount /etc/hosts [binds]: /etc/hosts doesn't exist in container
WARNING: Skipping mount /data [binds]: /in doesn't exist in container
INFO:    instance started successfully
`;

describe('findMissingMount', () => {
  test('finds a mount that was asked for and is not there', () => {
    const mounts = [{ source: '/data', target: '/in' }];
    expect(findMissingMount(output, mounts)).toBe(
      "WARNING: Skipping mount /data [binds]: /in doesn't exist in container",
    );
  });

  test.each([[undefined], [[]], [[{ source: '/data', target: '/elsewhere' }]]])('passes over others: %j', (mounts) => {
    expect(findMissingMount(output, mounts)).toBeNull();
  });
});
