import { describe, expect, test } from '@jest/globals';
import type { ToolCallParser } from '@talaria/tool-call-parsers';
import { defineTool } from '@talaria/tools';
import { checkEnvironment, processEnvironment, resolveRunConfig } from '../src/index.ts';
import { driverOptions, numbers, temporaryFolder } from './harness.ts';

/** Calls are whole answers of the form `!name {json}`. */
function bangParser(name: string): ToolCallParser {
  return {
    name,
    startMarkers: ['!'],
    parse(text, { idFactory = () => 'call' } = {}) {
      const [, toolName = '', args = ''] = /^!(\w+) (.*)$/u.exec(text) ?? [];
      const toolCalls = toolName === '' ? [] : [{ id: idFactory(), name: toolName, arguments: args }];
      return { content: toolCalls.length === 0 ? text : null, toolCalls, errors: [] };
    },
    stream() {
      throw new Error('not used');
    },
    render: () => '',
    canRender: () => false,
  };
}

const double = defineTool<{ readonly number: number }>({
  name: 'double',
  description: 'Twice a number.',
  toolset: 'arithmetic',
  sideEffect: 'none',
  parameters: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] },
  execute: ({ number }) => ({ number: 2 * number }),
});

/** An environment whose reward is 1 where the model doubled the number by its own tool, called in its own format. */
const own = numbers({
  tools: [double],
  parsers: [bangParser('bang-calls')],
  configInit: () => ({ env: { tool_call_parser: 'bang_calls', enabled_toolsets: ['arithmetic'] } }),
  async computeReward({ number }, { messages }, { callTool }) {
    const called = await callTool('double', { number });
    return messages.some((message) => message.role === 'tool' && message.content === called.content) ? 1 : 0;
  },
});

const script = ({ messages }: { messages: readonly { readonly content: unknown }[] }) =>
  messages.length === 1
    ? { content: `!double {"number": "${/\d+/u.exec(String(messages[0]?.content))?.[0]}"}` }
    : { content: 'done' };

describe('what an environment brings', () => {
  test('tools and a parser of its own are offered, called, and reached by its reward function', async () => {
    await using folder = await temporaryFolder();
    const summary = await processEnvironment(own, driverOptions(own, { folder: folder.path, script }));
    expect(summary).toMatchObject({ outcome: 'done', meanReward: 1 });
  });

  test('a tool of its own stands in for one of the same name', async () => {
    await using folder = await temporaryFolder();
    const echo = defineTool({ ...echoOptions, execute: () => 'mine' });
    const environment = numbers({
      tools: [echo],
      computeReward: async (_item, _result, { callTool }) =>
        (await callTool('echo', { text: 'x' })).content === 'mine' ? 1 : 0,
    });
    const summary = await processEnvironment(environment, driverOptions(environment, { folder: folder.path }));
    expect(summary.meanReward).toBe(1);
  });

  test('the name of a parser is checked with its own among the others', () => {
    const request = { environment: own, driver: 'process', variables: {} } as const;
    expect(resolveRunConfig(request).config.env.tool_call_parser).toBe('bang_calls');
    expect(() => resolveRunConfig({ ...request, argv: ['--parser', 'bang_call'] })).toThrow(
      expect.objectContaining({
        code: 'config.unknown-parser',
        hint: expect.stringMatching(/Did you mean bang-calls\?.*hermes/u),
      }),
    );
    const replaced = { ...own, parsers: [bangParser('hermes')] };
    expect(() => resolveRunConfig({ ...request, environment: replaced, argv: ['--parser', 'hermes'] })).not.toThrow();
    const twice = { ...own, parsers: [bangParser('bang'), bangParser('bang')] };
    expect(() => resolveRunConfig({ ...request, environment: twice })).toThrow(
      expect.objectContaining({ code: 'task.duplicate-parser' }),
    );
  });

  test.each([
    [{ tools: double }, 'its tools are no list'],
    [{ tools: [double, { name: 'x' }] }, 'its tools[1] has no method execute'],
    [{ parsers: ['hermes'] }, 'its parsers[0] has no method parse'],
  ])('what is neither tool nor parser is refused: %#', (parts, message) => {
    expect(() => checkEnvironment({ ...own, ...parts })).toThrow(message);
  });
});

const echoOptions = {
  name: 'echo',
  description: 'Says it back.',
  toolset: 'test',
  sideEffect: 'none',
  parameters: { type: 'object', properties: { text: { type: 'string' } } },
} as const;
