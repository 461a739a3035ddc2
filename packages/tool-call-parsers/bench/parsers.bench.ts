import type { Benchmark, BenchmarkRow } from '@talaria/testing-services/bench';
import { getParser, listParsers, type ToolCallParser } from '@talaria/tool-call-parsers';
import { seededReply } from './seeded-reply.ts';

const kilobyte = 1024;
const sizes = [4 * kilobyte, 64 * kilobyte, 1024 * kilobyte];
const hostileFamilies: Readonly<Record<string, (parser: ToolCallParser) => { lead: string; unit: string }>> = {
  'start marker repeated': (parser) => ({ lead: '', unit: parser.startMarkers[0] ?? '<tool_call>' }),
  'marker and brace repeated': (parser) => ({ lead: '', unit: `${parser.startMarkers[0] ?? ''}{"a":"` }),
  'end-of-turn token repeated': () => ({ lead: 'a', unit: '</s>' }),
  'opening brace repeated': (parser) => ({ lead: parser.startMarkers[0] ?? '', unit: '{' }),
  'quote repeated': (parser) => ({ lead: `${parser.startMarkers[0] ?? ''}{`, unit: '"' }),
  spaces: (parser) => ({ lead: parser.startMarkers[0] ?? '', unit: ' ' }),
  'unterminated string': (parser) => ({ lead: `${parser.startMarkers[0] ?? ''}{"name": "`, unit: 'x' }),
  'nested brackets': (parser) => ({ lead: `${parser.startMarkers[0] ?? ''}{"name": `, unit: '[' }),
};

/**
 * Milliseconds of one run: the fastest of several, since all that disturbs a run only adds to it, and ratios of disturbed
 * runs say nothing. Rounds are
 * short, so that some of them pass undisturbed on a busy machine.
 */
function measureMs(action: () => unknown, rounds = 61): number {
  let repeats = 1;
  for (;;) {
    const startedAt = performance.now();
    for (let repeat = 0; repeat < repeats; repeat += 1) action();
    if (performance.now() - startedAt > 2) break;
    repeats *= 2;
  }
  const samples: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const startedAt = performance.now();
    for (let repeat = 0; repeat < repeats; repeat += 1) action();
    samples.push((performance.now() - startedAt) / repeats);
  }
  return Math.min(...samples);
}

function megabytesPerSecond(length: number, ms: number): number {
  return length / 1e6 / (ms / 1e3);
}

function cut(text: string, size: number): string[] {
  const deltas: string[] = [];
  for (let from = 0; from < text.length; from += size) deltas.push(text.slice(from, from + size));
  return deltas;
}

function streamAll(parser: ToolCallParser, deltas: readonly string[]): void {
  const stream = parser.stream();
  for (const delta of deltas) stream.feed(delta);
  stream.finish();
}

/** The rate of `JSON.parse` on an OpenAI tool-call array that holds the same arguments. */
function jsonParseRate(parser: ToolCallParser, text: string): number {
  const calls = parser.parse(text).toolCalls.map(({ id, name, arguments: json }) => {
    return { id, type: 'function', function: { name, arguments: json } };
  });
  const wire = JSON.stringify(calls);
  return megabytesPerSecond(
    wire.length,
    measureMs(() => JSON.parse(wire)),
  );
}

function speedRows(parser: ToolCallParser): BenchmarkRow[] {
  const rows: BenchmarkRow[] = [];
  for (const size of sizes) {
    const text = seededReply(parser, size);
    const label = `${parser.name} ${size / kilobyte} KiB`;
    const wholeMs = measureMs(() => parser.parse(text));
    const whole = megabytesPerSecond(text.length, wholeMs);
    rows.push({ name: `${label} whole`, measured: whole, unit: 'MB/s', limit: null });
    const rates = [200, 20, 1].map((deltaSize) => {
      const deltas = cut(text, deltaSize);
      const ms = measureMs(() => streamAll(parser, deltas), 31);
      const rate = megabytesPerSecond(text.length, ms);
      rows.push({ name: `${label} in ${deltaSize}-char deltas`, measured: rate, unit: 'MB/s', limit: null });
      return { deltaSize, rate, ms };
    });
    if (size === 64 * kilobyte) {
      const reference = jsonParseRate(parser, text);
      rows.push({
        name: `${label} whole / JSON.parse`,
        measured: whole / reference,
        unit: 'ratio',
        limit: { kind: 'at least', value: 1 / 4 },
        note: `JSON.parse ${reference.toFixed(0)} MB/s`,
      });
      for (const [deltaSize, share] of [
        [200, 1 / 3],
        [20, 1 / 10],
      ] as const) {
        const rate = rates.find((entry) => entry.deltaSize === deltaSize)?.rate ?? 0;
        const limit = { kind: 'at least', value: share } as const;
        rows.push({ name: `${label} ${deltaSize}-char deltas / whole`, measured: rate / whole, unit: 'ratio', limit });
      }
    }
    if (size === 1024 * kilobyte) {
      const ms = rates.find((entry) => entry.deltaSize === 1)?.ms ?? Number.POSITIVE_INFINITY;
      const limit = { kind: 'at most', value: 40 } as const;
      rows.push({ name: `${label} 1-char deltas / whole`, measured: ms / wholeMs, unit: 'ratio', limit });
      rows.push({
        name: `${label} in 1-char deltas`,
        measured: ms,
        unit: 'ms',
        limit: { kind: 'at most', value: 1000 },
      });
    }
  }
  return rows;
}

function hostileRows(parser: ToolCallParser): BenchmarkRow[] {
  return Object.entries(hostileFamilies).map(([family, make]) => {
    const { lead, unit } = make(parser);
    const timeAt = (size: number): number => {
      const text = lead + unit.repeat(Math.ceil((size - lead.length) / unit.length));
      return measureMs(() => parser.parse(text), 31);
    };
    const small = timeAt(64 * kilobyte);
    const large = timeAt(1024 * kilobyte);
    return {
      name: `${parser.name} hostile, ${family}: 1 MiB / 64 KiB`,
      measured: large / small,
      unit: 'ratio',
      limit: { kind: 'at most', value: 20 },
      note: `${large.toFixed(2)} ms`,
    };
  });
}

/** Speed of every format, whole and streamed, and growth on hostile text. */
export const benchmark: Benchmark = {
  name: 'parsers',
  run: async () =>
    listParsers()
      .map(getParser)
      .flatMap((parser) => [...speedRows(parser), ...hostileRows(parser)]),
};
