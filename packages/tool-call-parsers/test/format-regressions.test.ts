import { describe, expect } from '@jest/globals';
import type { StreamEvent, ToolSchema } from '@talaria/tool-call-parsers';
import { toolFor } from '../fuzz/value-schema.ts';
import { measureGrowth } from './measure-growth.ts';
import { eagerEvents, readCalls, readEveryWay, testFormats } from './read-every-way.ts';

/** Faults that other parsers had in one format, found in public threads. Each is named like the thread. */

const book: readonly ToolSchema[] = [toolFor('run', { command: 'ls', note: 'a' }), toolFor('calc', { a: 1 })];

function argumentDeltas(events: readonly StreamEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === 'call-arguments' ? [event.delta] : []));
}

describe('Hermes', () => {
  testFormats(
    'vllm-project/vllm#32152; openvinotoolkit/model_server#3838: streamed arguments are valid JSON',
    ['hermes', 'qwen', 'granite4', 'ernie45'],
    (parser) => {
      const body = '{"name": "f", "arguments": {"a": {"b": 1}, "c": false}}';
      const text = `<tool_call>\n${body}\n</tool_call>\n<tool_call>\n${body}\n</tool_call>`;
      const value = { a: { b: 1 }, c: false };
      expect(readCalls(parser, text).calls).toEqual([
        ['f', value],
        ['f', value],
      ]);
      expect(argumentDeltas(eagerEvents(parser, text)).join('')).toBe('{"a": {"b": 1}, "c": false}'.repeat(2));
    },
  );

  testFormats('vllm-project/vllm#21544: an open brace in a string', ['hermes', 'qwen'], (parser) => {
    const text = '<tool_call>{"name": "run", "arguments": {"command": "echo {"}}</tool_call>';
    expect(readCalls(parser, text)).toEqual({ content: null, calls: [['run', { command: 'echo {' }]] });
  });

  testFormats('vllm-project/vllm#45167, #45310: the end tag in a string', ['hermes', 'qwen'], (parser) => {
    const text = '<tool_call>{"name": "run", "arguments": {"command": "</tool_call>"}}</tool_call> done';
    expect(readCalls(parser, text)).toEqual({ content: 'done', calls: [['run', { command: '</tool_call>' }]] });
  });

  testFormats('vllm-project/vllm#28806: no arguments at all', ['hermes', 'qwen'], (parser) => {
    const text = '<tool_call>{"name": "ping"}</tool_call>';
    expect(readCalls(parser, text).calls).toEqual([['ping', {}]]);
    expect(argumentDeltas(eagerEvents(parser, text))).toEqual(['{}']);
  });
});

describe('Kimi', () => {
  const begin = '<|tool_calls_section_begin|>';
  const end = '<|tool_calls_section_end|>';
  const call = (id: string, json: string): string =>
    `<|tool_call_begin|>${id}<|tool_call_argument_begin|>${json}<|tool_call_end|>`;

  testFormats('vllm-project/vllm#34442: a section of more than 8192 characters', ['kimi_k2'], (parser) => {
    const content = 'x'.repeat(20_000);
    const text = `${begin}${call('functions.write:0', JSON.stringify({ content }))}${call('functions.ping:1', '{}')}${end}`;
    expect(readCalls(parser, text).calls).toEqual([
      ['write', { content }],
      ['ping', {}],
    ]);
  });

  testFormats('vllm-project/vllm#37184: no special token becomes content', ['kimi_k2'], (parser) => {
    const text = `Sure. ${begin}${call('functions.a:0', '{"b": 1}')}${call('functions.a:1', '{"b": 2}')}${end}<|im_end|>`;
    expect(readCalls(parser, text)).toEqual({
      content: 'Sure.',
      calls: [
        ['a', { b: 1 }],
        ['a', { b: 2 }],
      ],
    });
  });

  testFormats('vllm-project/vllm#38441: a line feed around an id', ['kimi_k2'], (parser) => {
    const { toolCalls } = readEveryWay(parser, `${begin}${call('\nfunctions.a:0\n', '\n{"b": 1}\n')}${end}`);
    expect(toolCalls).toMatchObject([{ id: 'functions.a:0', name: 'a', arguments: '{"b": 1}' }]);
  });

  testFormats('vllm-project/vllm#38353: text before the section', ['kimi_k2'], (parser) => {
    const text = `I will look.\n${begin}${call('functions.a:0', '{}')}${end}\nThen I tell.`;
    expect(readCalls(parser, text)).toEqual({ content: 'I will look.\nThen I tell.', calls: [['a', {}]] });
  });

  testFormats('vllm-project/vllm#38274: the end of a call and the next one in one delta', ['kimi_k2'], (parser) => {
    const first = call('functions.a:0', '{"b": "first"}');
    const stream = parser.stream({ commit: 'eager' });
    const events = [
      ...stream.feed(begin + first.slice(0, -20)),
      ...stream.feed(`${first.slice(-20)}${call('functions.a:1', '{"b": "second"}')}${end}`),
      ...stream.finish(),
    ];
    const ends = events.flatMap((event) => (event.type === 'call-end' ? [event.arguments] : []));
    expect(ends).toEqual(['{"b": "first"}', '{"b": "second"}']);
  });

  testFormats('sgl-project/sglang#23363: long arguments and many calls stay linear', ['kimi_k2'], (parser) => {
    const families = [
      {
        title: 'long arguments',
        lead: `${begin}<|tool_call_begin|>functions.a:0<|tool_call_argument_begin|>{"b": "`,
        unit: 'long ',
      },
      { title: 'many calls', lead: begin, unit: call('functions.a:0', '{"b": 1}') },
    ];
    for (const family of families) {
      for (const commit of ['call', 'eager'] as const) {
        expect(measureGrowth(parser, family, { deltaLength: 1, commit })).toMatchObject({ isLinear: true });
      }
    }
  });
});

describe('GLM', () => {
  const pair = (key: string, value: string): string => `<arg_key>${key}</arg_key><arg_value>${value}</arg_value>`;

  testFormats(
    'vllm-project/vllm#44326, #48131, #32436: an inline call without arguments',
    ['glm45', 'glm47'],
    (parser) => {
      for (const text of [
        '<tool_call>ping</tool_call>',
        '<tool_call>ping\n</tool_call>',
        '\n<tool_call>ping</tool_call>\n',
      ]) {
        expect(readCalls(parser, text)).toEqual({ content: null, calls: [['ping', {}]] });
        expect(argumentDeltas(eagerEvents(parser, text))).toEqual(['{}']);
      }
    },
  );

  testFormats(
    'vllm-project/vllm#32829: long string arguments come as they are written',
    ['glm45', 'glm47'],
    (parser) => {
      const stream = parser.stream({ commit: 'eager', tools: book });
      stream.feed('<tool_call>run<arg_key>command</arg_key><arg_value>');
      for (let word = 0; word < 20; word += 1) {
        expect(argumentDeltas(stream.feed('a few words, ')).join('').length).toBeGreaterThan(8);
      }
    },
  );

  testFormats('vllm-project/vllm#34449: arguments are the same at any interval', ['glm45', 'glm47'], (parser) => {
    const text = `<tool_call>run${pair('command', 'ls -l "a b"\n')}${pair('note', '12')}</tool_call>`;
    const read = readCalls(parser, text, { tools: book });
    expect(read.calls).toEqual([['run', { command: 'ls -l "a b"\n', note: '12' }]]);
  });

  testFormats('sgl-project/sglang#35564: a number is no string in a stream', ['glm45', 'glm47', 'hy_v3'], (parser) => {
    const text =
      parser.name === 'hy_v3'
        ? `<tool_calls><tool_call>calc<tool_sep>${pair('a', '12')}</tool_call></tool_calls>`
        : `<tool_call>calc${pair('a', '12')}</tool_call>`;
    expect(readCalls(parser, text, { tools: book }).calls).toEqual([['calc', { a: 12 }]]);
  });

  testFormats('vllm-project/vllm#54678: hostile text stays linear', ['glm45', 'glm47'], (parser) => {
    for (const unit of ['<tool_call>a\n', '<arg_key>a</arg_key>', '<tool_call>a<arg_key>', '\\n', '</arg_value>\n']) {
      const family = { title: unit, lead: `<tool_call>a${pair('k', 'v')}`, unit };
      expect(measureGrowth(parser, family, { deltaLength: 1, commit: 'eager' })).toMatchObject({ isLinear: true });
    }
  });
});

describe('Mistral', () => {
  const array =
    '[TOOL_CALLS] [{"name": "a", "arguments": {"b": 1}}, {"name": "c", "arguments": {}}, {"name": "d", "arguments": {"e": [2]}}]';

  testFormats(
    'vllm-project/vllm#20028, #17585; sgl-project/sglang#34898, #36692: arrays, whole and in pieces',
    ['mistral'],
    (parser) => {
      expect(readCalls(parser, `Hm.${array} Done.`)).toEqual({
        content: 'Hm.\nDone.',
        calls: [
          ['a', { b: 1 }],
          ['c', {}],
          ['d', { e: [2] }],
        ],
      });
    },
  );

  testFormats('vllm-project/vllm#48318: text and two calls in one delta', ['mistral'], (parser) => {
    const text = 'Both. [TOOL_CALLS]a{"b": 1}[TOOL_CALLS]c{"d": 2}';
    expect(readCalls(parser, text)).toEqual({
      content: 'Both.',
      calls: [
        ['a', { b: 1 }],
        ['c', { d: 2 }],
      ],
    });
  });
});

describe('Gemma', () => {
  testFormats('vllm-project/vllm#41967: the first of two calls', ['gemma4'], (parser) => {
    const text = '<|tool_call>call:a{b:<|"|>x<|"|>,c:1}<tool_call|><|tool_call>call:d{}<tool_call|>';
    expect(readCalls(parser, text).calls).toEqual([
      ['a', { b: 'x', c: 1 }],
      ['d', {}],
    ]);
  });

  testFormats('vllm-project/vllm#44715, #39069: a delimiter inside a string', ['gemma4'], (parser) => {
    const text = '<|tool_call>call:run{command:<|"|>echo <|"|>a: b<|"|> > c<|"|>,note:<|"|>x<|"|>}<tool_call|>';
    const [name, value] = readCalls(parser, text).calls[0] ?? [];
    expect(name).toBe('run');
    expect(value).toMatchObject({ note: 'x' });
    expect(JSON.stringify(value)).toMatch(/echo .*a: b.* > c/);
    expect(Object.keys(value as object)).toEqual(['command', 'note']);
  });
});

describe('DeepSeek', () => {
  const invoke = (name: string, value: string): string =>
    `<｜DSML｜invoke name="${name}">\n<｜DSML｜parameter name="command" string="true">${value}</｜DSML｜parameter>\n</｜DSML｜invoke>`;
  const section = (parserName: string, body: string): string => {
    const tag = parserName === 'deepseek_v32' ? 'function_calls' : 'tool_calls';
    return `<｜DSML｜${tag}>\n${body}\n</｜DSML｜${tag}>`;
  };

  testFormats(
    'vllm-project/vllm#40800, #40801: a start token that is split does not leak',
    ['deepseek_v32', 'deepseek_v4'],
    (parser) => {
      const text = `Look.\n\n${section(parser.name, invoke('run', 'ls'))}`;
      expect(readCalls(parser, text)).toEqual({ content: 'Look.', calls: [['run', { command: 'ls' }]] });
    },
  );

  testFormats(
    'vllm-project/vllm#45877: a close tag behind 2>&1 does not leak',
    ['deepseek_v32', 'deepseek_v4'],
    (parser) => {
      const text = section(parser.name, `${invoke('run', 'make 2>&1')}\n${invoke('run', 'echo </｜DSML｜par')}`);
      expect(readCalls(parser, text).calls).toEqual([
        ['run', { command: 'make 2>&1' }],
        ['run', { command: 'echo </｜DSML｜par' }],
      ]);
    },
  );

  testFormats('vllm-project/vllm#30866: the first token of an answer', ['deepseek_v3', 'deepseek_v3_1'], (parser) => {
    expect(readCalls(parser, 'The answer is 4.')).toEqual({ content: 'The answer is 4.', calls: [] });
    const text =
      'The <｜tool▁calls▁begin｜><｜tool▁call▁begin｜>a<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>';
    expect(readCalls(parser, text)).toEqual({ content: 'The', calls: [['a', {}]] });
  });

  testFormats('vllm-project/vllm#55473: hostile text stays linear', ['deepseek_v3', 'deepseek_v3_1'], (parser) => {
    for (const unit of [
      '<｜tool▁call▁begin｜>',
      '<｜tool▁call▁begin｜>function<｜tool▁sep｜>a\n```json\n',
      '\n```json\n',
      '<｜tool▁sep｜>',
    ]) {
      const family = { title: unit, lead: '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f', unit };
      expect(measureGrowth(parser, family, { deltaLength: 1, commit: 'call' })).toMatchObject({ isLinear: true });
    }
  });
});

describe('Harmony', () => {
  const call = (name: string, json: string): string =>
    `<|channel|>commentary to=functions.${name} <|constrain|>json<|message|>${json}<|call|>`;

  testFormats('vllm-project/vllm#32587, #32633: a channel token behind the name', ['gpt_oss'], (parser) => {
    const text =
      '<|channel|>commentary to=functions.a<|channel|>commentary<|constrain|>json<|message|>{"b": 1}<|call|>';
    expect(readCalls(parser, text)).toEqual({ content: null, calls: [['a', { b: 1 }]] });
  });

  testFormats('vllm-project/vllm#37070: arguments stay in one index', ['gpt_oss'], (parser) => {
    const text = `${call('a', '{"b": 1}')}<|start|>assistant${call('c', '{"d": 2}')}`;
    const events = eagerEvents(parser, text);
    const joined = [0, 1].map((index) =>
      events
        .flatMap((event) => (event.type === 'call-arguments' && event.index === index ? [event.delta] : []))
        .join(''),
    );
    expect(joined).toEqual(['{"b": 1}', '{"d": 2}']);
  });
});

describe('Qwen3-Coder and those like it', () => {
  const parameter = (key: string, value: string): string => `<parameter=${key}>\n${value}\n</parameter>\n`;

  testFormats('raullenchai/Rapid-MLX#1515: end tags in a value', ['qwen3_coder', 'qwen3_xml'], (parser) => {
    const command = 'grep "</tool_call>" a && echo "</parameter>" "</function>"\n</parameter> text';
    const text = `<tool_call>\n<function=run>\n${parameter('command', command)}${parameter('note', '1')}</function>\n</tool_call>`;
    expect(readCalls(parser, text, { tools: book }).calls).toEqual([['run', { command, note: '1' }]]);
  });

  testFormats('vllm-project/vllm#36116: a long value comes as it is written', ['qwen3_coder', 'seed_oss'], (parser) => {
    const wrapper = parser.name === 'seed_oss' ? '<seed:tool_call>' : '<tool_call>';
    const stream = parser.stream({ commit: 'eager', tools: book });
    stream.feed(`${wrapper}\n<function=run>\n<parameter=command>\n`);
    for (let word = 0; word < 20; word += 1) {
      expect(argumentDeltas(stream.feed('a few words, ')).join('').length).toBeGreaterThan(8);
    }
  });

  testFormats('vllm-project/vllm#36073; sgl-project/sglang#27005: MiniMax-M2 too', ['minimax_m2'], (parser) => {
    const stream = parser.stream({ commit: 'eager', tools: book });
    stream.feed('<minimax:tool_call>\n<invoke name="run">\n<parameter name="command">');
    for (let word = 0; word < 20; word += 1) {
      expect(argumentDeltas(stream.feed('a few words, ')).join('').length).toBeGreaterThan(8);
    }
  });

  testFormats('sgl-project/sglang#36691: a marker in pieces, a call without arguments', ['minimax_m2'], (parser) => {
    const text = 'Wait.\n<minimax:tool_call>\n<invoke name="ping">\n</invoke>\n</minimax:tool_call>';
    expect(readCalls(parser, text)).toEqual({ content: 'Wait.', calls: [['ping', {}]] });
  });

  testFormats('huggingface/trl#5415, #4934: cut text stays linear', ['qwen', 'qwen3_coder'], (parser) => {
    for (const unit of [
      '<tool_call>',
      '<tool_call>\n<function=a>\n',
      '<parameter=a>\nb\n',
      '{"a": "',
      '\n',
      '</parameter>\n',
    ]) {
      const family = { title: unit, lead: '<tool_call>\n<function=f>\n<parameter=k>\n', unit };
      for (const commit of ['call', 'eager'] as const) {
        expect(measureGrowth(parser, family, { deltaLength: 1, commit })).toMatchObject({ isLinear: true });
      }
    }
  });
});

describe('others', () => {
  testFormats('sgl-project/sglang#34925: a second Step3 call, and prose', ['step3'], (parser) => {
    const call = (name: string, key: string, value: string): string =>
      `<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="${name}"><steptml:parameter name="${key}">${value}</steptml:parameter></steptml:invoke><｜tool_call_end｜>`;
    const text = `First.\n<｜tool_calls_begin｜>${call('run', 'command', 'ls')}${call('calc', 'a', '2')}<｜tool_calls_end｜>\nLast.`;
    expect(readCalls(parser, text, { tools: book })).toEqual({
      content: 'First.\nLast.',
      calls: [
        ['run', { command: 'ls' }],
        ['calc', { a: 2 }],
      ],
    });
  });

  testFormats(
    'ml-explore/mlx-lm#1785: a comma in a string in single quotes',
    ['pythonic', 'llama4_pythonic', 'olmo3', 'lfm2'],
    (parser) => {
      const frames: Readonly<Record<string, readonly [string, string]>> = {
        olmo3: ['<function_calls>\n', '\n</function_calls>'],
        lfm2: ['<|tool_call_start|>[', ']<|tool_call_end|>'],
      };
      const [before, after] = frames[parser.name] ?? ['[', ']'];
      const text = `${before}run(command='a, b=c, d', note='it\\'s (x)')${after}`;
      expect(readCalls(parser, text, { tools: book })).toEqual({
        content: null,
        calls: [['run', { command: 'a, b=c, d', note: "it's (x)" }]],
      });
    },
  );
});
