import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { confineLink } from './link-target.ts';

describe('confineLink', () => {
  test.each([
    ['a', 'b', 'b'],
    ['a/b', '../c', '../c'],
    ['a/b', '../../c', null],
    ['a/b', '..', '..'],
    ['a', '.', '.'],
    ['a', '..', null],
    ['a', '', null],
    ['a', 'x/../b', null],
    ['a/b/c', '../x/../../b', null],
    ['a/b', '/root/tree/c/d', '../c/d'],
    ['a/b', '/root/tree', '..'],
    ['a', '/root/tree', '.'],
    ['a', '/root/treehouse', null],
    ['a', '/etc/passwd', null],
    ['a', '/root/tree/../x', null],
    ['a', '..b', '..b'],
    ['a', './b/', './b/'],
  ])('a link %s to %j becomes %j', (path, target, expected) => {
    expect(confineLink(path, target, '/root/tree')).toBe(expected);
  });

  test('never gives a target that leaves the tree', () => {
    const part = fc.constantFrom('..', '.', 'a', 'b', '', 'root', 'tree');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), fc.integer({ min: 0, max: 3 }), (parts, depth) => {
        const path = [...Array.from({ length: depth }, () => 'd'), 'link'].join('/');
        const confined = confineLink(path, parts.join('/'), '/root/tree');
        if (confined === null) return;
        const climbs = confined.split('/').filter((name) => name === '..').length;
        expect(climbs).toBeLessThanOrEqual(depth);
        expect(confined.startsWith('/')).toBe(false);
      }),
    );
  });
});
