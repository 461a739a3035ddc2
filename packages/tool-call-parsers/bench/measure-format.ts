import type { CommitMode, ToolCallParser } from '@talaria/tool-call-parsers';
import { corpusReply, corpusTools, flatten } from './corpus.ts';
import type { FormatFigures, HostileFigures, NaiveFigures, ReferenceFigures, SizeFigures } from './format-figures.ts';
import { hostileFamilies, hostileText } from './hostile-families.ts';
import { type MeasureOptions, measureTogether, processorMs } from './measure-together.ts';
import { textBodiedFormats, wholeFloors } from './text-bodied-formats.ts';

const kibibyte = 1024;
const naiveCapMs = 500;
/** How many replies of 64 KiB are as long as one of 1 MiB. */
const growthFactor = 16;
/** Growth that is measured again, at more length. */
const doubtfulGrowth = 18;
/** A rate is measured again that is not above its floor by this factor. */
const doubtfulRate = 1.2;

/**
 * Measures a format.
 * @throws Error where it cannot write the corpus
 */
export function measureFormat(parser: ToolCallParser): FormatFigures {
  const small = corpusReply(parser, 4 * kibibyte);
  const middle = corpusReply(parser, 64 * kibibyte);
  const large = corpusReply(parser, 1024 * kibibyte);
  const smallMs = measureTogether(runsOf(parser, small));
  const middleMs = measureTogether({
    ...runsOf(parser, middle),
    eager: runStream(parser, middle, 20, 'eager'),
  });
  const largeMs = measureTogether(runsOf(parser, large));
  return {
    format: parser.name,
    sizes: [asRates(small, smallMs), asRates(middle, middleMs), asRates(large, largeMs)],
    eagerRate: rate(middle.length, middleMs.eager),
    plain: besideReference(parser, middle),
    otherScripts: besideReference(parser, corpusReply(parser, 64 * kibibyte, { hasOtherScripts: true })),
    by200ToWhole: middleMs.whole / middleMs.by200,
    by20ToWhole: middleMs.whole / middleMs.by20,
    by1TimesWhole: largeMs.by1 / largeMs.whole,
    by1Ms: largeMs.by1,
    growth: measureGrowth((text) => () => parse(parser, text), middle, large).growth,
    by1Growth: measureGrowth((text) => runStream(parser, text, 1), middle, large).growth,
    naive: [measureNaive(parser, small, smallMs.by20), measureNaive(parser, middle, middleMs.by20)],
    hostile: measureHostile(parser),
  };
}

type Runs = Readonly<Record<'whole' | 'by200' | 'by20' | 'by1', () => unknown>>;

function runsOf(parser: ToolCallParser, text: string): Runs {
  return {
    whole: () => parse(parser, text),
    by200: runStream(parser, text, 200),
    by20: runStream(parser, text, 20),
    by1: runStream(parser, text, 1),
  };
}

function parse(parser: ToolCallParser, text: string): unknown {
  return parser.parse(text, { tools: corpusTools });
}

function runStream(
  parser: ToolCallParser,
  text: string,
  deltaLength: number,
  commit: CommitMode = 'call',
): () => unknown {
  const deltas = cut(text, deltaLength);
  return () => {
    const stream = parser.stream({ commit, tools: corpusTools });
    for (const delta of deltas) stream.feed(delta);
    return stream.finish();
  };
}

function cut(text: string, length: number): readonly string[] {
  const deltas: string[] = [];
  for (let from = 0; from < text.length; from += length) deltas.push(text.slice(from, from + length));
  return deltas;
}

/** The calls of a reply as a server with tool calls of its own sends them. */
function wireForm(parser: ToolCallParser, text: string): string {
  const calls = parser.parse(text, { tools: corpusTools }).toolCalls.map(({ id, name, arguments: json }) => {
    return { id, type: 'function', function: { name, arguments: json } };
  });
  return flatten(JSON.stringify(calls));
}

/** How fast a reply is read whole, and how fast `JSON.parse` reads its calls. */
function besideReference(parser: ToolCallParser, text: string): ReferenceFigures {
  const wire = wireForm(parser, text);
  const actions = { whole: () => parse(parser, text), reference: () => JSON.parse(wire) };
  const measure = (options?: MeasureOptions): ReferenceFigures => {
    const ms = measureTogether(actions, options);
    return { whole: rate(text.length, ms.whole), reference: rate(wire.length, ms.reference) };
  };
  const first = measure();
  const floor = textBodiedFormats.has(parser.name) ? wholeFloors.textBodied : wholeFloors.jsonBodied;
  // The first time warmed up as well: what runs often enough is compiled once more, by the best compiler.
  return first.whole / first.reference > floor * doubtfulRate ? first : measure({ budgetMs: 1000, minRounds: 20 });
}

function asRates(text: string, ms: Readonly<Record<keyof Runs, number>>): SizeFigures {
  return {
    length: text.length,
    whole: rate(text.length, ms.whole),
    by200: rate(text.length, ms.by200),
    by20: rate(text.length, ms.by20),
    by1: rate(text.length, ms.by1),
  };
}

/** MB/s, a character counting as a byte. */
function rate(length: number, ms: number): number {
  return length / 1e3 / ms;
}

/** Parses all that has come so far again for each delta of 20 characters, until the end or until it took too long. */
function measureNaive(parser: ToolCallParser, text: string, streamMs: number): NaiveFigures {
  const deltas = cut(text, 20);
  let received = '';
  let elapsedMs = 0;
  const startedAt = processorMs();
  for (const delta of deltas) {
    received += delta;
    parse(parser, received);
    elapsedMs = processorMs() - startedAt;
    if (elapsedMs > naiveCapMs) break;
  }
  return { length: text.length, timesStream: elapsedMs / streamMs, readShare: received.length / text.length };
}

/** Makes what reads a text. */
type PrepareRun = (text: string) => () => unknown;

function measureHostile(parser: ToolCallParser): readonly HostileFigures[] {
  return hostileFamilies(parser).map((family) => {
    const prepare: PrepareRun = (text) => () => parse(parser, text);
    const growth = measureGrowth(prepare, hostileText(family, 64 * kibibyte), hostileText(family, 1024 * kibibyte));
    return { family: family.name, ...growth };
  });
}

/**
 * The time for a text of 1 MiB, and what it is beside that for a text of 64 KiB. Of the latter as many copies are read as
 * make 1 MiB, and all results are kept, so that the caches and the garbage collector have the same to do: their share is
 * not the parser's growth.
 */
function measureGrowth(prepare: PrepareRun, small: string, large: string): { growth: number; largeMs: number } {
  const copies = Array.from({ length: growthFactor }, () => prepare(flatten(small)));
  const actions = { smalls: () => copies.map((run) => run()), large: prepare(large) };
  const measure = (options: MeasureOptions): { growth: number; largeMs: number } => {
    const ms = measureTogether(actions, options);
    return { growth: (ms.large / ms.smalls) * growthFactor, largeMs: ms.large };
  };
  const first = measure({ budgetMs: 100, minRounds: 3 });
  // Only chance lies between the times of few rounds and those of many, so many are kept for where they may decide.
  return first.growth < doubtfulGrowth ? first : measure({ budgetMs: 1000, minRounds: 10 });
}
