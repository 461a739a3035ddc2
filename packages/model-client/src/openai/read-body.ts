import { AnswerProblem } from './answer-problem.ts';

/** Bytes of an answer, as they come. */
export type ByteStream = AsyncIterable<Uint8Array>;

/**
 * The bytes of an answer's body. Stopping early closes the connection.
 * @throws AnswerProblem `too-large` beyond `maxBytes`, `connection` where it breaks
 */
export async function* readBytes(response: Response, maxBytes: number): ByteStream {
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader();
  if (reader === undefined) return;
  let byteCount = 0;
  let isDone = false;
  try {
    while (true) {
      const part = await reader.read();
      isDone = part.done;
      if (part.done) return;
      byteCount += part.value.byteLength;
      if (byteCount > maxBytes) throw new AnswerProblem({ kind: 'too-large', maxBytes });
      yield part.value;
    }
  } catch (error) {
    if (error instanceof AnswerProblem) throw error;
    isDone = true;
    throw new AnswerProblem({ kind: 'connection', cause: error });
  } finally {
    // Rejects where the request was aborted meanwhile: the connection is closed then already.
    if (!isDone) await reader.cancel().catch(() => undefined);
  }
}

/** A whole body as text. @throws AnswerProblem as {@link readBytes} */
export async function readText(response: Response, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  for await (const bytes of readBytes(response, maxBytes)) parts.push(decoder.decode(bytes, { stream: true }));
  parts.push(decoder.decode());
  return parts.join('');
}

/** Start of a body as text: the first `maxBytes` or a little more; the rest is not read. */
export async function readStart(response: Response, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of readBytes(response, Number.POSITIVE_INFINITY)) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length >= maxBytes) break;
  }
  return text.slice(0, maxBytes);
}
