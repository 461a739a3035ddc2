import { isJsonObject, type JsonObject, parseJson } from '@talaria/core';

/** Reads what the engine tells while it pulls or builds: one JSON object per line. Leaving early destroys the source. */
export async function* readProgressLines(source: AsyncIterable<unknown>): AsyncGenerator<JsonObject> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of source) {
    if (!(chunk instanceof Uint8Array) && !Buffer.isBuffer(chunk)) continue;
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines.flatMap(parseLine);
  }
  yield* parseLine(rest);
}

function parseLine(line: string): readonly JsonObject[] {
  const parsed = parseJson(line);
  return parsed.ok && isJsonObject(parsed.value) ? [parsed.value] : [];
}

/** Text at a path of fields; `''` where there is none. */
export function textAt(value: JsonObject, name: string): string {
  const field = value[name];
  return typeof field === 'string' ? field : '';
}
