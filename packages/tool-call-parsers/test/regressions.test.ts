import { describe, expect, test } from '@jest/globals';
import {
  foldEvents,
  type RenderCall,
  type StreamEvent,
  type ToolCallParser,
  type ToolSchema,
} from '@talaria/tool-call-parsers';
import { toolFor, toResponsesShape } from '../fuzz/value-schema.ts';
import { cutEvery } from '../src/contract/chunkings.ts';
import { eagerEvents, readCalls } from './read-every-way.ts';
import { testedFormats } from './tested-formats.ts';

/** Faults that other parsers had, found in public threads. Each is named like the thread; all hold for every format. */

const weather = { name: 'get_weather', arguments: { city: 'Oslo', days: 3, exact: true, place: { at: [1, 2.5] } } };
const search = { name: 'search_docs', arguments: { query: 'rust lifetimes', limit: 5 } };
const ping = { name: 'ping', arguments: {} };
const terminal = { name: 'run_in_terminal', arguments: { command: 'ls' } };
const all = [weather, search, ping, terminal];
const tools: readonly ToolSchema[] = all.map((call) => toolFor(call.name, call.arguments));

function write(parser: ToolCallParser, calls: readonly RenderCall[], content?: string): string {
  return parser.render(calls, { tools, content });
}

function listed(calls: readonly RenderCall[]): readonly unknown[] {
  return calls.map((call) => [call.name, call.arguments]);
}

function typesOf(events: readonly StreamEvent[]): readonly string[] {
  return events.map((event) => event.type).filter((type) => type !== 'call-arguments');
}

function argumentDeltas(events: readonly StreamEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === 'call-arguments' ? [event.delta] : []));
}

function contentOf(events: readonly StreamEvent[]): string {
  return events.flatMap((event) => (event.type === 'content' ? [event.text] : [])).join('');
}

describe.each(testedFormats)('$name', ({ parser }) => {
  test('vllm-project/vllm#32152, #36360: arguments that end in a number, a boolean or an object lose no brace', () => {
    for (const value of [{ a: 12 }, { a: true }, { a: { b: { c: 1 } } }, { a: [1, [2]] }, { a: null }, { a: -0.5 }]) {
      const call = { name: 'f', arguments: value };
      const schema = [toolFor('f', value)];
      const text = parser.render([call], { tools: schema });
      expect(readCalls(parser, text, { tools: schema })).toEqual({ content: null, calls: [['f', value]] });
    }
  });

  test('vllm-project/vllm#10395, #10398: what was sent of the arguments is the beginning of what they are', () => {
    const text = write(parser, [weather]);
    const final = parser.parse(text, { tools }).toolCalls[0]?.arguments ?? '';
    const stream = parser.stream({ commit: 'eager', tools });
    let sent = '';
    for (const unit of text) {
      sent += argumentDeltas(stream.feed(unit)).join('');
      expect(final.startsWith(sent)).toBe(true);
    }
    sent += argumentDeltas(stream.finish()).join('');
    expect(sent).toBe(final);
  });

  test('vllm-project/vllm#21544: a command with braces and quotes in it', () => {
    for (const command of ['echo "{" && ls {', "awk '{print $1' | cat", 'a } ] ) b', '"', "it's", '\\', '{"a": "']) {
      const call = { name: 'run', arguments: { command, note: 'x' } };
      const schema = [toolFor('run', call.arguments)];
      const text = parser.render([call], { tools: schema });
      expect(readCalls(parser, text, { tools: schema })).toEqual({ content: null, calls: listed([call]) });
    }
  });

  test('vllm-project/vllm#45167, #45310; minpeter/ai-sdk-tool-call-middleware#297: markup in a string is data', () => {
    const markup = ['</tool_call>', '<tool_call>', '[TOOL_CALLS]', ...parser.startMarkers];
    let written = 0;
    for (const token of markup) {
      const call = { name: 'run', arguments: { command: `echo "${token}" > out.txt` } };
      const schema = [toolFor('run', call.arguments)];
      if (!parser.canRender([call], { tools: schema })) continue;
      written += 1;
      const text = parser.render([call], { tools: schema });
      expect(readCalls(parser, text, { tools: schema })).toEqual({ content: null, calls: listed([call]) });
    }
    expect(written).toBe(markup.length);
  });

  test('vllm-project/vllm#28806; sgl-project/sglang#36691: a call without parameters has the arguments {}', () => {
    const events = eagerEvents(parser, write(parser, [ping]), { tools });
    expect(argumentDeltas(events).join('')).toBe('{}');
    expect(readCalls(parser, write(parser, [ping]), { tools })).toEqual({ content: null, calls: [['ping', {}]] });
  });

  test('vllm-project/vllm#41182: what follows a call arrives while it is said, and a cut call at the end', () => {
    for (const commit of ['call', 'eager'] as const) {
      const stream = parser.stream({ commit, tools });
      const heard = (text: string): string => contentOf(stream.feed(text));
      expect(heard('Before. ').trim()).toBe('Before.');
      heard(`${write(parser, [weather])}\n`);
      expect(heard('Words that follow. And some more of them.')).toContain('follow');
      const text = write(parser, [terminal]);
      const rest = [...stream.feed(`\n${text.slice(0, text.indexOf('run_in') + 6)}`), ...stream.finish('length')];
      expect(contentOf(rest)).toContain('run_in');
    }
  });

  test('vllm-project/vllm#49316; sgl-project/sglang#35564: types are the same whole and streamed', () => {
    const values = { n: 3, r: 0.25, b: false, z: null, s: '3', t: 'true', u: 'null', list: [1, 2], object: { k: 'v' } };
    const schema = [toolFor('f', values)];
    const text = parser.render([{ name: 'f', arguments: values }], { tools: schema });
    expect(readCalls(parser, text, { tools: schema }).calls).toEqual([['f', values]]);
  });

  test('vllm-project/vllm#39757: a name is sent once and whole', () => {
    const starts = eagerEvents(parser, write(parser, [terminal]), { tools }).filter(
      (event) => event.type === 'call-start',
    );
    expect(starts).toMatchObject([{ name: 'run_in_terminal' }]);
  });

  test('vllm-project/vllm#39574: tools in Responses shape, and without parameters', () => {
    const shapes: readonly (readonly ToolSchema[])[] = [
      tools.map(toResponsesShape),
      all.map(({ name: tool }) => ({ type: 'function', name: tool, parameters: null })),
      all.map(({ name: tool }) => ({ type: 'function', name: tool })),
      all.map(({ name: tool }) => ({ type: 'function', function: { name: tool, parameters: null } })),
      all.map(({ name: tool }) => ({ function: { name: tool } })),
    ];
    const text = write(parser, [weather]);
    for (const shape of shapes) {
      expect(readCalls(parser, text, { tools: shape }).calls).toEqual(listed([weather]));
    }
  });

  test('vllm-project/vllm-ascend#12261: a string that may be null', () => {
    const schema: readonly ToolSchema[] = [
      {
        type: 'function',
        function: {
          name: 'note',
          parameters: { type: 'object', properties: { text: { anyOf: [{ type: 'string' }, { type: 'null' }] } } },
        },
      },
    ];
    for (const value of ['Oslo', '12', '"quoted"', null]) {
      const call = { name: 'note', arguments: { text: value } };
      const text = parser.render([call], { tools: schema });
      expect(readCalls(parser, text, { tools: schema }).calls).toEqual(listed([call]));
      const deltas = argumentDeltas(eagerEvents(parser, text, { tools: schema })).join('');
      expect(JSON.parse(deltas)).toEqual(call.arguments);
    }
  });

  test('vllm-project/vllm#30866, #38353; sgl-project/sglang#33186: text before and after calls is whole', () => {
    const text = `First word.\n${write(parser, [weather])}\nLast word.`;
    expect(readCalls(parser, text, { tools })).toEqual({
      content: 'First word.\nLast word.',
      calls: listed([weather]),
    });
  });

  test('vllm-project/vllm#35421: arguments are given once, not the text of their text', () => {
    const events = eagerEvents(parser, write(parser, [search]), { tools });
    const [call] = foldEvents(events).toolCalls;
    expect(JSON.parse(call?.arguments ?? '')).toEqual(search.arguments);
    expect(argumentDeltas(events).join('')).toBe(call?.arguments);
  });

  test('vllm-project/vllm#36116, #36073, #32829; sgl-project/sglang#27005: a long string flows', () => {
    const call = { name: 'write_file', arguments: { content: 'a line of text\n'.repeat(200), path: 'a' } };
    const schema = [toolFor(call.name, call.arguments)];
    const text = parser.render([call], { tools: schema });
    const stream = parser.stream({ commit: 'eager', tools: schema });
    const lengths = cutEvery(text, 30).map((piece) => argumentDeltas(stream.feed(piece)).join('').length);
    expect(lengths.filter((length) => length > 0).length).toBeGreaterThan(50);
    expect(Math.max(...lengths)).toBeLessThan(200);
  });

  test('vllm-project/vllm#55284: one delta that holds the end of a call and text', () => {
    const text = `${write(parser, [weather])}\nAnd then?`;
    for (let length = 1; length <= text.length; length += 1) {
      const stream = parser.stream({ commit: 'eager', tools });
      const events = [...stream.feed(text.slice(0, length)), ...stream.feed(text.slice(length)), ...stream.finish()];
      const calls = typesOf(events).filter((type) => type.startsWith('call'));
      expect(calls).toEqual(['call-start', 'call-end']);
      expect(foldEvents(events).content).toBe('And then?');
    }
  });

  test('vllm-project/vllm#38274, #48318; sgl-project/sglang#31915, #34898: several calls in one delta', () => {
    const text = write(parser, all, 'Now.');
    expect(readCalls(parser, text, { tools })).toEqual({ content: 'Now.', calls: listed(all) });
  });

  test('vllm-project/vllm#41967: the first of two calls keeps its arguments, however text is cut', () => {
    const text = write(parser, [search, weather]);
    for (let length = 1; length <= text.length; length += 1) {
      for (const commit of ['call', 'eager'] as const) {
        const stream = parser.stream({ commit, tools });
        const events = [...cutEvery(text, length).flatMap((piece) => stream.feed(piece)), ...stream.finish()];
        const calls = foldEvents(events).toolCalls.map((call) => JSON.parse(call.arguments) as unknown);
        expect(calls).toEqual([search.arguments, weather.arguments]);
      }
    }
  });

  test('sgl-project/sglang#35564, #35625; vllm-project/vllm#37070: an index counts calls, not tools', () => {
    const calls = [terminal, search, terminal];
    const events = eagerEvents(parser, write(parser, calls), { tools });
    const starts = events.flatMap((event) => (event.type === 'call-start' ? [[event.index, event.name]] : []));
    expect(starts).toEqual([
      [0, 'run_in_terminal'],
      [1, 'search_docs'],
      [2, 'run_in_terminal'],
    ]);
  });

  test('sgl-project/sglang#34925: a second call takes nothing of the first, nor of the text', () => {
    const text = `One.\n${write(parser, [weather])}\nTwo.\n${write(parser, [search])}\nThree.`;
    expect(readCalls(parser, text, { tools })).toEqual({
      content: 'One.\nTwo.\nThree.',
      calls: listed([weather, search]),
    });
  });
});
