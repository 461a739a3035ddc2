import { foldEvents, getParser, type ParseResult, type StreamOptions } from '@talaria/tool-call-parsers';
import { readToolCallVectors } from '@talaria/tool-call-parsers/contract';

/** What a parser made of one vector: the result as JSON text, and the ways to stream that gave another. */
export interface VectorReading {
  readonly vector: string;
  readonly result: string;
  readonly differences: readonly string[];
}

const pieceLengths = [1, 7, 64];
const commitModes = ['call', 'eager'] as const;

/**
 * Reads vectors whole and streamed. Runs wherever the package does (in a page, a worker, an old Node), so that readings
 * can be compared; it uses nothing but the package.
 * @param vectorFiles - JSON Lines by the name of the parser
 */
export function readVectors(
  vectorFiles: Readonly<Record<string, string>>,
): Readonly<Record<string, readonly VectorReading[]>> {
  return Object.fromEntries(
    Object.entries(vectorFiles).map(([parserName, jsonLines]) => [
      parserName,
      readToolCallVectors(jsonLines, `${parserName}.jsonl`).map(({ name, input, tools }): VectorReading => {
        const parser = getParser(parserName);
        const result = JSON.stringify(parser.parse(input, { tools, idFactory: countingIds() }));
        const differences = commitModes.flatMap((commit) =>
          pieceLengths
            .filter((length) => {
              const streamed = streamVector(parserName, input, length, { tools, commit, idFactory: countingIds() });
              return JSON.stringify(streamed) !== result;
            })
            .map((length) => `${commit}, pieces of ${length}`),
        );
        return { vector: name, result, differences };
      }),
    ]),
  );
}

function streamVector(parserName: string, input: string, length: number, options: StreamOptions): ParseResult {
  const stream = getParser(parserName).stream(options);
  const pieces = input.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? [];
  return foldEvents([...pieces.flatMap((piece) => stream.feed(piece)), ...stream.finish()]);
}

function countingIds(): () => string {
  let count = 0;
  return () => `id${++count}`;
}
