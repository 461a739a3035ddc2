import { describe, expect, test } from '@jest/globals';
import { getParser } from '@talaria/tool-call-parsers';
import { processEnvironment } from '../src/index.ts';
import { driverOptions, numbers, promptNumber, registry, temporaryFolder } from './harness.ts';

/** The reward is 1 where the model called a tool, in as many turns as that takes, and then said the number alone. */
const calling = numbers({
  configInit: () => ({ env: { enabled_toolsets: ['test'] } }),
  computeReward: ({ number }, { messages }) => {
    const hasCalled = messages.some((message) => message.role === 'tool' && message.content === `{"text":"${number}"}`);
    return hasCalled && messages.at(-1)?.content === String(number) ? 1 : 0;
  },
});

/** Runs the environment with a model that writes calls and answers as text of that format. */
async function meanReward(format: string, argv: readonly string[]): Promise<number | null> {
  await using folder = await temporaryFolder();
  const parser = getParser(format);
  const tools = registry.tools.map((tool) => tool.definition);
  const options = driverOptions(calling, {
    folder: folder.path,
    argv,
    script: ({ messages }) => {
      const number = promptNumber(messages);
      const echo = { name: 'echo', arguments: { text: number } };
      return {
        content: messages.length === 1 ? parser.render([echo], { tools }) : parser.render([], { content: number }),
      };
    },
  });
  const summary = await processEnvironment(calling, options);
  expect(summary.outcome).toBe('done');
  return summary.meanReward;
}

describe('a run whose model writes its calls as text', () => {
  test.each(['hermes', 'openai', 'mimo', 'deepseek_v31', 'kimi-k2', 'mistral', 'glm', 'llama3', 'pythonic', 'ernie45'])(
    'earns its rewards with --parser %s',
    async (name) => {
      expect(await meanReward(name, ['--parser', name])).toBe(1);
    },
  );

  test('earns none where the parser is another, or text is to stay text', async () => {
    expect(await meanReward('kimi_k2', ['--parser', 'hermes'])).toBe(0);
    expect(await meanReward('hermes', ['--parser', 'hermes', '--tools.fallback_parse', 'false'])).toBe(0);
  });
});
