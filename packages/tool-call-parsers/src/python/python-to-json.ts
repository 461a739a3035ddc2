import { readWhole, skipSpace } from '../text/reading.ts';
import { readLiteral } from './read-literal.ts';

/** The JSON text of a text that is one Python literal but for white space around it, else undefined. */
export function pythonToJson(text: string): string | undefined {
  let json = '';
  return readWhole(text, function* (window) {
    const fault = yield* readLiteral(window, (part) => {
      json += part;
    });
    const isWhole = fault === undefined && (yield* skipSpace(window)) === '';
    return isWhole ? json : undefined;
  });
}
