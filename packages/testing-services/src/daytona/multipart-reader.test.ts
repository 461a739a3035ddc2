import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { boundaryOf, collect, readForm } from './multipart-reader.ts';

const boundary = 'edge';

function formOf(parts: readonly { name: string; body: Uint8Array }[]): Buffer {
  const pieces = parts.flatMap(({ name, body }) => [
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`),
    body,
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
}

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function readParts(source: AsyncIterable<Buffer>): Promise<readonly { name: string; body: Buffer }[]> {
  const parts: { name: string; body: Buffer }[] = [];
  for await (const { name, body } of readForm(source, boundary)) {
    parts.push({ name, body: Buffer.concat(await collect(body)) });
  }
  return parts;
}

/** Bytes that are often parts of a boundary. */
const body = fc
  .array(fc.oneof(fc.constantFrom('\r\n', '--', `\r\n--${boundary.slice(0, 3)}`, '-', '\r'), fc.string()))
  .map((texts) => Buffer.from(texts.join('')))
  .filter((bytes) => !bytes.includes(`\r\n--${boundary}`));

test('a form comes out as it went in, whatever pieces it arrives in', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ name: fc.stringMatching(/^[a-z]{1,5}$/), body }), { maxLength: 4 }),
      fc.integer({ min: 1, max: 40 }),
      async (parts, size) => {
        expect(await readParts(inPieces(formOf(parts), size))).toEqual(parts);
      },
    ),
    { numRuns: 200 },
  );
});

test('a part that nobody reads is passed over', async () => {
  const names: string[] = [];
  const form = formOf([
    { name: 'one', body: Buffer.from('x') },
    { name: 'two', body: Buffer.from('y') },
  ]);
  for await (const { name } of readForm(inPieces(form, 3), boundary)) names.push(name);
  expect(names).toEqual(['one', 'two']);
});

test('a form that ends too early is an error', async () => {
  const form = formOf([{ name: 'one', body: Buffer.from('x') }]);
  await expect(readParts(inPieces(form.subarray(0, form.length - 12), 7))).rejects.toThrow(/unexpected EOF/);
});

test('the boundary is found in the content type', () => {
  expect(boundaryOf('multipart/form-data; boundary=abc')).toBe('abc');
  expect(boundaryOf('multipart/form-data; boundary="a b"; charset=x')).toBe('a b');
  expect(boundaryOf('application/json')).toBeNull();
});
