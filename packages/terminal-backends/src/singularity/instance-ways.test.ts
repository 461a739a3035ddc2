import { userInfo } from 'node:os';
import { describe, expect, test } from '@jest/globals';
import { silentLogger } from '@talaria/core';
import { tellWay, waysToTry } from './instance-ways.ts';

describe('waysToTry', () => {
  test('leaves memory to the end, and root before other users', () => {
    const ways = waysToTry({}, false);
    const modes = ways.map(({ mode }) => mode);
    expect(modes.slice(0, 3)).toEqual(['overlay', 'sandbox', 'overlay-image']);
    const firstInMemory = modes.indexOf('tmpfs');
    expect(modes.slice(firstInMemory)).toEqual(modes.slice(firstInMemory).map(() => 'tmpfs'));
    const rights = ways.slice(0, firstInMemory).map(({ privileges }) => privileges.isRoot);
    expect(rights).toEqual(rights.toSorted((left, right) => Number(right) - Number(left)));
  });

  test('tries first what can limit the disk, where it is to be limited', () => {
    expect(waysToTry({}, true)[0]?.mode).toBe('overlay-image');
  });

  test('tries only what was asked for', () => {
    const modes = waysToTry({ writable: 'sandbox', fakeroot: true }, true).map(({ mode }) => mode);
    expect(new Set(modes)).toEqual(new Set(['sandbox']));
    expect(waysToTry({ fakeroot: true }, false).every(({ privileges }) => privileges.isRoot)).toBe(true);
  });

  test('gives root few rights, and never all', () => {
    const fakeroot = userInfo().uid === 0 ? undefined : true;
    for (const { privileges } of waysToTry({ fakeroot }, false)) {
      const { forStart, forExec } = privileges;
      expect([forStart.includes('--no-privs'), forStart.includes('--fakeroot')]).toContain(true);
      expect(forExec.join(' ')).not.toMatch(/SYS_ADMIN|keep-privs/);
    }
  });
});

describe('tellWay', () => {
  const privileges = { forStart: ['--fakeroot'], forExec: [], isRoot: true };
  const refused = [{ mode: 'overlay' as const, privileges, complaint: 'no overlay here' }];

  function warningsOf(mode: 'overlay' | 'tmpfs' | 'overlay-image', isDiskLimited: boolean): readonly string[] {
    const events: string[] = [];
    const warn = (event: string, fields?: object) => void events.push(`${event} ${JSON.stringify(fields)}`);
    tellWay({ mode, privileges }, refused, isDiskLimited, { ...silentLogger, warn });
    return events;
  }

  test('says why there is little room', () => {
    expect(warningsOf('tmpfs', false)).toEqual([
      expect.stringMatching(/^sandbox\.little-space .*overlay --fakeroot: no overlay here/),
    ]);
  });

  test('says where a limit of the disk is not kept', () => {
    expect(warningsOf('overlay', true)).toEqual([expect.stringMatching(/^sandbox\.disk-not-limited /)]);
    expect(warningsOf('overlay-image', true)).toEqual([]);
    expect(warningsOf('overlay', false)).toEqual([]);
  });
});
