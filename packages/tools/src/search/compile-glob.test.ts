import { expect, test } from '@jest/globals';
import { thoroughRuns } from '@talaria/testing-services/services';
import fc from 'fast-check';
import picomatch from 'picomatch';
import { compileGlob } from './compile-glob.ts';

test.each([
  ['*', ['a', '.a', 'aé'], ['a/b', '']],
  ['a*b', ['ab', 'a.b', 'aabb'], ['a/b', 'abc', 'b']],
  ['?', ['a', 'é', '😀'], ['', 'ab', '/']],
  ['**', ['a', 'a/b', '.a/b'], ['']],
  ['**/a', ['a', 'b/a', 'b/c/a'], ['ba', 'a/b', 'b/ca']],
  ['a/**', ['a/b', 'a/b/c'], ['ab', 'b/a']],
  ['a/**/b', ['a/b', 'a/c/b', 'a/c/d/b'], ['ab', 'a/cb']],
  ['a**b', ['ab', 'acb'], ['a/b']],
  ['[a-c]x', ['ax', 'cx'], ['dx', '/x', 'x']],
  ['[!a-c]x', ['dx', '-x'], ['ax', '/x', 'x']],
  ['[^a]', ['b'], ['a', '/']],
  ['[]a]', [']', 'a'], ['b']],
  ['[\\]-]', [']', '-'], ['\\', 'a']],
  ['[a', ['[a'], ['a']],
  ['*.{ts,js}', ['a.ts', 'b.js'], ['a.{ts,js}', 'a.tsx']],
  ['{a,b{c,d},}x', ['ax', 'bcx', 'bdx', 'x'], ['bx', 'cx']],
  ['{src,test}/**/*.ts', ['src/a.ts', 'test/b/c.ts'], ['lib/a.ts']],
  ['{src/**,test/**}', ['src/a', 'src/a/b.ts', 'test/a/b.ts'], ['src', 'lib/a/b.ts']],
  ['src/{**,x}', ['src/a', 'src/a/b'], ['lib/a/b', 'src']],
  ['src/{x,**/y}', ['src/x', 'src/y', 'src/a/b/y'], ['src/a/x']],
  ['{src/**,x}/y', ['src/a/y', 'src/a/b/y', 'x/y'], ['src/y', 'x/a/y']],
  ['{a,{b/**,c}}', ['a', 'b/c/d', 'c'], ['c/d']],
  ['{src/*,a/b**}', ['src/a', 'a/bc'], ['src/a/b', 'a/bc/d']],
  ['{a,b', ['{a,b'], ['a', 'b']],
  ['a}', ['a}'], ['a']],
  ['a,b', ['a,b'], ['a', 'b']],
  ['\\*\\{a\\}', ['*{a}'], ['b{a}', '*a']],
  ['a\\', ['a\\'], ['a']],
  ['(a|b)+.$x^', ['(a|b)+.$x^'], ['a.$x^', 'a']],
  ['+(a)', ['+(a)'], ['a', 'aa']],
  ['[a]+', ['a+'], ['aa', 'a']],
  ['!a', ['!a'], ['b']],
])('%p', (glob, fitting, others) => {
  const fits = compileGlob(glob);
  expect(fitting.filter((path) => !fits(path))).toEqual([]);
  expect(others.filter(fits)).toEqual([]);
});

test.each([
  ['x/((a+)+)b', `x/${'a'.repeat(4_000)}c`],
  ['(a|a)+b', `${'a'.repeat(4_000)}c`],
  [`${'{a,a}'.repeat(190)}b`, 'a'.repeat(191)],
  [`${'{a,aa}'.repeat(160)}b`, 'a'.repeat(255)],
  ['*a'.repeat(450), `${'a'.repeat(4_000)}c`],
  ['**/'.repeat(330), `${'a/'.repeat(2_000)}c`],
  [`${'{'.repeat(999)}`, '{'.repeat(998)],
  [`${'{'.repeat(499)}a${'}'.repeat(499)}`, 'b'],
  [`${'['.repeat(1_000)}`, '['],
])('%.30s ends, whatever the path', (glob, path) => {
  const startedAt = performance.now();
  expect(compileGlob(glob)(path)).toBe(false);
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});

test('plain globs mean what they do elsewhere', () => {
  const choices = ['{a/**,b}', '{b,a/**}', '{**,b}', '{a,b/**/a}', '{a,{b/**,x+}}'];
  const piece = fc.constantFrom(
    'a',
    'b',
    '*',
    '?',
    '/',
    '.',
    '{a,b}',
    '[ab]',
    '[!a]',
    '**/',
    'x+',
    '(',
    '$',
    ...choices,
  );
  const path = fc.array(fc.constantFrom('a', 'b', '.', 'x+', '(', '$', '/'), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), path, (pieces, characters) => {
      const glob = pieces.join('').replaceAll(/\/+/g, '/');
      const name = characters.join('').replaceAll(/\/+/g, '/');
      // Elsewhere `**` beside other characters or one more `**`, and empty or hidden parts, mean things of their own.
      const hasOddStars = glob.replaceAll(/(?<=^|\/)\*\*\/|(?<=\/|(?<!\*\/)\{)\*\*(?=[,}])/g, '').includes('**');
      fc.pre(!hasOddStars && [glob, name].every((text) => !/^[./]|[./]$|\/\./.test(text)));
      const literal = glob.replaceAll(/[+($]/g, '\\$&');
      const expected = picomatch(literal, { dot: true, noextglob: true, nonegate: true, posix: true })(name);
      expect({ glob, name, fits: compileGlob(glob)(name) }).toEqual({ glob, name, fits: expected });
    }),
    { numRuns: thoroughRuns(2_000) },
  );
});
