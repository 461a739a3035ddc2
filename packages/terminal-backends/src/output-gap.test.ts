import { Readable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { hearOutput, type OutputGap } from './output-gap.ts';

function listen(stream: Readable, gaps: readonly OutputGap[]): (string | number)[] {
  const heard: (string | number)[] = [];
  hearOutput(stream, gaps, {
    take: (bytes) => heard.push(bytes.toString()),
    skip: (byteCount) => heard.push(byteCount),
  });
  return heard;
}

test('gaps are heard where they are, whatever pieces the stream comes in', async () => {
  const stream = Readable.from([Buffer.from('abcdef'), Buffer.from('gh')]);
  const heard = listen(stream, [
    { at: 0, bytes: 1 },
    { at: 2, bytes: 20 },
    { at: 2, bytes: 30 },
    { at: 7, bytes: 4 },
    { at: 8, bytes: 5 },
  ]);
  await new Promise((resolve) => stream.once('close', resolve));
  expect(heard).toEqual([1, 'ab', 20, 30, 'cdef', 'g', 4, 'h', 5]);
});

test('a gap that becomes known later is heard before what follows it', async () => {
  const gaps: OutputGap[] = [];
  const stream = new Readable({ read: () => undefined });
  stream.push('one');
  gaps.push({ at: 3, bytes: 100 });
  stream.push('two');
  stream.push(null);
  const heard = listen(stream, gaps);
  await new Promise((resolve) => stream.once('close', resolve));
  expect(heard).toEqual(['one', 100, 'two']);
});
