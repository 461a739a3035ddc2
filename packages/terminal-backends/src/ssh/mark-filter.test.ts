import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createMarkFilter } from './mark-filter.ts';

test('what comes after the mark passes, however it is cut', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.array(fc.nat({ max: 12 })), (noise, output, cuts) => {
      fc.pre(!`${noise}#go#`.slice(0, -1).includes('#go#'));
      const filter = createMarkFilter('#go#');
      const passed: Buffer[] = [];
      let rest = Buffer.from(`${noise}#go#${output}`);
      for (const cut of [...cuts, rest.length]) {
        passed.push(filter.feed(rest.subarray(0, cut)) ?? Buffer.alloc(0));
        rest = rest.subarray(cut);
      }
      expect(Buffer.concat(passed).toString()).toBe(output);
      expect(filter.held()).toBeNull();
    }),
  );
});

test('what comes without a mark is kept, up to a limit', () => {
  const filter = createMarkFilter('#go#');
  for (let times = 0; times < 10; times += 1) expect(filter.feed(Buffer.alloc(20_000, 'x'))).toBeNull();
  expect(filter.held()?.length).toBe(65_536);
});
