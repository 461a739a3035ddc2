import { describe, expect, test } from '@jest/globals';
import { parseProcStat } from './proc-stat.ts';

const fields = Array.from({ length: 30 }, (_, index) => `${index + 5}`).join(' ');

describe('parseProcStat', () => {
  test.each(['(bash)', '(a) R 1 (b)', '(with space)', '())'])('reads the fields behind the name %s', (name) => {
    expect(parseProcStat(`42 ${name} S 7 8 9 0 ${fields}\n`)).toMatchObject({
      state: 'S',
      parentPid: 7,
      groupId: 8,
      hasTerminal: false,
    });
  });
});
