import { describe, expect, test } from '@jest/globals';
import { thoroughRuns } from '@talaria/testing-services/services';
import type { ParseOptions, StreamEvent, ToolCallParser } from '@talaria/tool-call-parsers';
import fc from 'fast-check';
import { checkCut, checkReadBack, checkStreamed, checkWhole } from '../fuzz/check-reading.ts';
import { createFormatMaterial } from '../fuzz/format-material.ts';
import { countingIds } from '../src/contract/stream-run.ts';
import { changedText, cutAt, cuts, markerSoup } from './marker-soup.ts';
import { testedFormats } from './tested-formats.ts';

const runs = { numRuns: thoroughRuns(150) };
const fewerRuns = { numRuns: thoroughRuns(60) };
const changesOfEachVector = { numRuns: thoroughRuns(10) };
const commit = fc.constantFrom('call', 'eager');

describe.each(testedFormats)('$name, for any text', ({ parser, vectors }) => {
  const material = createFormatMaterial(parser, vectors);
  const toolLists = fc.constantFrom(...material.toolLists);

  test('it never throws, loses nothing, and every result is sound', () => {
    fc.assert(
      fc.property(markerSoup(material), toolLists, (text, { tools }) => {
        checkReadBack(parser, { text, tools }, checkWhole(parser, { text, tools }));
      }),
      runs,
    );
  });

  test('any chunking gives the same result, in both commit modes', () => {
    fc.assert(
      fc.property(markerSoup(material), toolLists, cuts, (text, { tools }, places) => {
        const whole = checkWhole(parser, { text, tools });
        for (const mode of ['call', 'eager'] as const) {
          checkStreamed(parser, { text, tools }, cutAt(text, places), mode, whole);
        }
      }),
      runs,
    );
  });

  test('every vector with random changes is read like any other text', () => {
    for (const tokens of material.texts) {
      fc.assert(
        fc.property(changedText(tokens, material), toolLists, cuts, commit, (text, { tools }, places, mode) => {
          const whole = checkWhole(parser, { text, tools });
          checkStreamed(parser, { text, tools }, cutAt(text, places), mode, whole);
          checkStreamed(parser, { text, tools }, text.split(''), mode, whole);
          checkCut(parser, { text, tools }, (places[0] ?? 0) % (text.length + 1), whole);
          checkReadBack(parser, { text, tools }, whole);
        }),
        changesOfEachVector,
      );
    }
  });

  test('two streams that are fed in turns do not meet', () => {
    const text = fc.oneof(markerSoup(material), fc.constantFrom(...material.texts.map((tokens) => tokens.join(''))));
    const side = fc.record({ text, options: toolLists, commit });
    fc.assert(
      fc.property(side, side, (left, right) => {
        const alone = [left, right].flatMap((each) => readInTurns(parser, [each]));
        // As text, since comparing so many events one by one takes several times longer than reading.
        expect(JSON.stringify(readInTurns(parser, [left, right]))).toBe(JSON.stringify(alone));
      }),
      fewerRuns,
    );
  });

  test('tools in the shape of the Responses interface mean the same', () => {
    const [, , chat, responses] = material.toolLists;
    fc.assert(
      fc.property(fc.constantFrom(...material.texts), (tokens) => {
        const read = (options: ParseOptions | undefined): unknown =>
          parser.parse(tokens.join(''), { ...options, idFactory: countingIds() });
        expect(read(responses)).toEqual(read(chat));
      }),
      runs,
    );
  });
});

interface Side {
  readonly text: string;
  readonly options: ParseOptions;
  readonly commit: 'call' | 'eager';
}

/** The events of each side, fed one unit a turn. */
function readInTurns(parser: ToolCallParser, sides: readonly Side[]): readonly (readonly StreamEvent[])[] {
  const open = sides.map(({ text, options, commit: mode }) => ({
    text,
    events: [] as StreamEvent[],
    stream: parser.stream({ ...options, commit: mode, idFactory: countingIds() }),
  }));
  const turns = Math.max(...sides.map(({ text }) => text.length));
  for (let turn = 0; turn < turns; turn += 1) {
    for (const { text, events, stream } of open) {
      if (turn < text.length) events.push(...stream.feed(text.charAt(turn)));
    }
  }
  for (const { events, stream } of open) events.push(...stream.finish());
  return open.map(({ events }) => events);
}
