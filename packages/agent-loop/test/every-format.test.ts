import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type AgentLoopOptions, type AgentResult, finalResponse, runAgentLoop } from '@talaria/agent-loop';
import { createMemoryLogger } from '@talaria/core/testing';
import { getParser, listParsers, type RenderCall, type ToolCallParser } from '@talaria/tool-call-parsers';
import { expectValidHistory } from './expect-valid-history.ts';
import { openRealTools, type RealTools } from './open-real-tools.ts';
import { createTestModel } from './test-model.ts';

/** Quotes, braces, brackets, tags, escapes and a text that looks like a number: what breaks careless formats. */
const code = `import re, sys
LIMITS = {"low": [1, 2], 'high': (3,)}  # <b>"limits"</b> & more
def main(text: str) -> int:
\tpattern = re.compile(r"^\\s*(\\w+)\\s*=\\s*'([^']*)'$")
\treturn len([m for m in map(pattern.match, text.split("\\n")) if m]) if text else -1
print(main("a = 'ä'\\nb = '日本'"))`;
const content = 'I write it, then I run it.';

let real: RealTools;
let folder: string;

beforeAll(async () => {
  real = await openRealTools();
});
beforeEach(async () => {
  folder = await mkdtemp(join(real.folder, 'work-'));
});
afterAll(async () => {
  await real[Symbol.asyncDispose]();
});

function write(name: string, text: string): RenderCall {
  return { name: 'write_file', arguments: { path: join(folder, name), content: text } };
}

function terminal(command: string): RenderCall {
  return { name: 'terminal', arguments: { command, timeout: 60 } };
}

/** The text in which a model of that family says this. */
function say(parser: ToolCallParser, calls: readonly RenderCall[], said: string | null = null): string {
  return parser.render(calls, { content: said, tools: real.tools.definitions });
}

async function run(options: Omit<AgentLoopOptions, 'tools'>): Promise<AgentResult> {
  const result = await runAgentLoop([{ role: 'user', content: 'Work.' }], { ...options, tools: real.tools });
  expectValidHistory(result.messages);
  return result;
}

/** A call whose text ends within the code that it writes. */
function cutCall(parser: ToolCallParser): string {
  const whole = say(parser, [write('cut.py', code)]);
  return whole.slice(0, whole.indexOf('pattern.match'));
}

/** What ids have to look like, for the chat template that will see them again. */
function idForm(parser: ToolCallParser): RegExp {
  if (parser.name === 'mistral') return /^[A-Za-z0-9]{9}$/;
  return parser.name === 'kimi_k2' ? /^functions\.(write_file|terminal):\d+$/ : /^call_[0-9a-f]{24}$/;
}

describe.each(listParsers().map((name) => [name, getParser(name)] as const))('%s', (name, parser) => {
  test('carries a rollout: its calls run, and the history holds no markup', async () => {
    const first = [
      write('count.py', code),
      terminal(`cp ${folder}/count.py ${folder}/copy.py && echo "{copied: 'ok'}"`),
    ];
    const second = [write('count.py', `${code}\n`)];
    const texts = [say(parser, first, content), say(parser, second), say(parser, [], 'Done.')];
    const deltas: string[] = [];
    const result = await run({
      model: createTestModel(texts.map((text) => ({ content: text }))),
      parser,
      isStreaming: true,
      onEvent: (event) => {
        if (event.type === 'text-delta') deltas.push(event.text);
      },
    });
    expect(result).toMatchObject({ stopReason: 'completed', finishedNaturally: true, toolErrors: [] });
    expect(finalResponse(result)).toBe('Done.');
    const files = ['count.py', 'copy.py'].map((file) => readFile(join(folder, file), 'utf8'));
    expect(await Promise.all(files)).toEqual([`${code}\n`, code]);
    const said = result.messages.flatMap((message) => (message.role === 'assistant' ? [message] : []));
    expect(said.map((message) => message.content)).toEqual([content, '', 'Done.']);
    expect(deltas.join('')).toBe(`${content}Done.`);
    const calls = said.flatMap((message) => message.tool_calls ?? []);
    expect(calls.map((call) => JSON.parse(call.function.arguments))).toEqual(
      [...first, ...second].map((call) => call.arguments),
    );
    expect(calls.filter((call) => !idForm(parser).test(call.id))).toEqual([]);
    expect(result.turns.slice(0, -1).map((turn) => turn.rawText)).toEqual(texts.slice(0, -1));
  });

  test('a call that was not written to its end is told to the model, and never runs', async () => {
    const model = createTestModel([{ content: cutCall(parser) }, { content: say(parser, [], 'Done.') }]);
    const result = await run({ model, parser });
    expect(result).toMatchObject({ stopReason: 'completed', turnsUsed: 2 });
    expect(result.toolErrors.map((error) => error.kind)).toEqual(['malformed_call']);
    expect(result.messages[2]).toMatchObject({ role: 'user', content: expect.stringContaining('could not be read') });
    expect(await readdir(folder)).toEqual([]);
  });

  test('a call that the length limit cut is no fault of the model', async () => {
    const model = createTestModel([{ content: cutCall(parser), finishReason: 'length' }]);
    const result = await run({ model, parser });
    expect(result).toMatchObject({ stopReason: 'truncated', finishedNaturally: false, turnsUsed: 1 });
    expect(await readdir(folder)).toEqual([]);
  });

  test('its calls are recognised where another format is configured', async () => {
    const logger = createMemoryLogger();
    const configured = name === 'longcat' ? getParser('kimi_k2') : getParser('longcat');
    const text = say(parser, [terminal('echo never')], content);
    const result = await run({ model: createTestModel([{ content: text }]), parser: configured, logger });
    expect(result.stopReason).toBe('completed');
    expect(logger.entries.filter((entry) => entry.event === 'agent-loop.foreign-format')).toEqual([
      {
        level: 'warn',
        event: 'agent-loop.foreign-format',
        fields: { turn: 1, formats: expect.arrayContaining([name]), configured: configured.name },
      },
    ]);
  });
});

const formats = listParsers().map((name) => getParser(name));

test.each([
  ['talks about markers', 'I would write `[TOOL_CALLS]`, <tool_call> or functools, then run terminal.'],
  ['explains calls of other tools', formats.map(exampleCall).join('\n\n')],
  [
    'is a listing',
    '```python\nfrom functools import partial\n[terminal, patch]\n```\n\n[terminal](https://example.com)',
  ],
  ['holds JSON', 'The settings are {"name": "terminal", "theme": "dark"} and [{"terminal": {}}].'],
])('no format is told where a plain answer %s', async (_case, text) => {
  const logger = createMemoryLogger();
  const result = await run({ model: createTestModel([{ content: text }]), logger });
  expect(finalResponse(result)).toBe(text);
  expect(logger.entries.map((entry) => entry.event)).not.toContain('agent-loop.foreign-format');
});

/** A call as documentation shows it. */
function exampleCall(parser: ToolCallParser): string {
  return parser.render([{ name: 'get_weather', arguments: { city: 'Oslo' } }]);
}

test('each format is asked for an answer once at most, and none where no tool is named', async () => {
  const asked: string[] = [];
  const knownParsers = formats.map((parser) => ({
    ...parser,
    parse: (...given: Parameters<ToolCallParser['parse']>) => {
      asked.push(parser.name);
      return parser.parse(...given);
    },
  }));
  await run({ model: createTestModel([{ content: 'All is done: [TOOL_CALLS] <tool_call>.' }]), knownParsers });
  expect(asked).toEqual([]);
  const naming = formats.map((parser) => say(parser, [terminal('ls')])).join('\n');
  await run({ model: createTestModel([{ content: naming }]), knownParsers });
  expect(new Set(asked).size).toBe(asked.length);
  expect(asked.length).toBeGreaterThan(30);
});
