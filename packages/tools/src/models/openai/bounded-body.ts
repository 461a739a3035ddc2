import { EndpointFailure } from './endpoint-failure.ts';

/** A body as text. @throws EndpointFailure `too-large` beyond `maxBytes`, `connection` where it breaks */
export async function readBody(response: Response, maxBytes: number): Promise<string> {
  const { text, isWhole } = await readStart(response, maxBytes);
  if (!isWhole) throw new EndpointFailure({ kind: 'too-large', maxBytes });
  return text;
}

/** The first `maxBytes` of a body as text; the rest is not read. @throws EndpointFailure `connection` */
export async function readStart(
  response: Response,
  maxBytes: number,
): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader();
  if (reader === undefined) return { text: '', isWhole: true };
  const parts: Uint8Array[] = [];
  let byteCount = 0;
  try {
    while (byteCount <= maxBytes) {
      const part = await reader.read();
      if (part.done) return { text: Buffer.concat(parts).toString('utf8'), isWhole: true };
      parts.push(part.value);
      byteCount += part.value.byteLength;
    }
  } catch (cause) {
    throw new EndpointFailure({ kind: 'connection', cause });
  }
  // Rejects where the connection is closed already, which is what is wanted.
  await reader.cancel().catch(() => undefined);
  return { text: Buffer.concat(parts).subarray(0, maxBytes).toString('utf8'), isWhole: false };
}
