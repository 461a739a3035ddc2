/** A part of a form. Its body must be read to the end before the next part comes. */
export interface FormPart {
  /** Name of the field. */
  readonly name: string;
  readonly body: AsyncIterable<Buffer>;
}

const headEnd = Buffer.from('\r\n\r\n');

/** Boundary that a content type names; `null` where it is no form. */
export function boundaryOf(contentType: string): string | null {
  const match = /^multipart\/form-data;.*boundary=(?:"([^"]+)"|([^;]+))/i.exec(contentType);
  return match?.[1] ?? match?.[2]?.trim() ?? null;
}

/** Reads a form part by part, with no more in memory than a chunk and a boundary. Throws where it ends too early. */
export async function* readForm(source: AsyncIterable<Buffer>, boundary: string): AsyncGenerator<FormPart> {
  const reader = createReader(source);
  // The first boundary has no line end before it; with one, all are alike.
  reader.unread(Buffer.from('\r\n'));
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  await drain(reader.until(delimiter));
  while ((await reader.take(2)).toString('latin1') !== '--') {
    // What was taken ended the boundary's line, and may be all that ends an empty head.
    reader.unread(Buffer.from('\r\n'));
    const head = Buffer.concat(await collect(reader.until(headEnd))).toString('utf8');
    const body = reader.until(delimiter);
    yield { name: /\bname="([^"]*)"/.exec(head)?.[1] ?? '', body };
    await drain(body);
  }
}

interface ByteReader {
  /** Everything before the mark, which is taken away too. */
  until(mark: Buffer): AsyncGenerator<Buffer>;
  take(count: number): Promise<Buffer>;
  unread(bytes: Buffer): void;
}

function createReader(source: AsyncIterable<Buffer>): ByteReader {
  const iterator = source[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);

  async function more(): Promise<void> {
    const next = await iterator.next();
    if (next.done === true) throw new Error('unexpected EOF in multipart form');
    held = Buffer.concat([held, next.value]);
  }

  return {
    async *until(mark) {
      for (;;) {
        const end = held.indexOf(mark);
        if (end !== -1) {
          const before = held.subarray(0, end);
          held = held.subarray(end + mark.length);
          if (before.length > 0) yield before;
          return;
        }
        // The mark may have begun in what is held back.
        const safe = held.length - mark.length + 1;
        if (safe > 0) {
          const before = held.subarray(0, safe);
          held = held.subarray(safe);
          yield before;
        }
        await more();
      }
    },
    async take(count) {
      while (held.length < count) await more();
      const taken = held.subarray(0, count);
      held = held.subarray(count);
      return taken;
    },
    unread(bytes) {
      held = Buffer.concat([bytes, held]);
    },
  };
}

/** All pieces of a part. */
export async function collect(pieces: AsyncIterable<Buffer>): Promise<readonly Buffer[]> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return all;
}

async function drain(pieces: AsyncIterable<Buffer>): Promise<void> {
  for await (const _piece of pieces) {
    // Nobody wants it.
  }
}
