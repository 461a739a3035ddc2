import type { ByteStream } from './read-body.ts';

/** The data of one server-sent event. */
export interface ServerSentEvent {
  readonly data: string;
  /** Whether the blank line after it came; false only for the last one of a stream. */
  readonly isComplete: boolean;
}

/**
 * Reads server-sent events from bytes, however they are cut. Only `data` matters here: other fields and comments are
 * left out. Lines end with `\n` or `\r\n`; a lone `\r`, which the standard allows, is not known to be sent by any server.
 */
export async function* readServerSentEvents(bytes: ByteStream): AsyncGenerator<ServerSentEvent> {
  const dataLines: string[] = [];
  function takeEvent(isComplete: boolean): ServerSentEvent[] {
    if (dataLines.length === 0) return [];
    const data = dataLines.join('\n');
    dataLines.length = 0;
    return [{ data, isComplete }];
  }
  let lastLine = '';
  for await (const { line, isComplete } of readLines(bytes)) {
    if (!isComplete) lastLine = line;
    else if (line === '') yield* takeEvent(true);
    else addData(line, dataLines);
  }
  addData(lastLine, dataLines);
  yield* takeEvent(false);
}

function addData(line: string, dataLines: string[]): void {
  if (!line.startsWith('data:')) return;
  dataLines.push(line.startsWith('data: ') ? line.slice(6) : line.slice(5));
}

async function* readLines(bytes: ByteStream): AsyncGenerator<{ readonly line: string; readonly isComplete: boolean }> {
  const decoder = new TextDecoder();
  // Kept in parts and joined once: a line may be as long as the largest answer.
  let parts: string[] = [];
  for await (const part of bytes) {
    const text = decoder.decode(part, { stream: true });
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      parts.push(text.slice(start, end));
      const line = parts.join('');
      parts = [];
      start = end + 1;
      yield { line: line.endsWith('\r') ? line.slice(0, -1) : line, isComplete: true };
    }
    if (start < text.length) parts.push(text.slice(start));
  }
  parts.push(decoder.decode());
  yield { line: parts.join(''), isComplete: false };
}
