import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import type { JsonObject } from '@talaria/core';
import { openStory } from './stories/open-story.ts';

interface Story {
  readonly story: string;
  /** One after another, by one rollout. */
  readonly calls: readonly {
    readonly tool: string;
    readonly arguments: JsonObject;
    readonly isError: boolean;
    readonly result: string;
  }[];
}

const stories: readonly Story[] = JSON.parse(
  await readFile(new URL('./vectors/stories.json', import.meta.url), 'utf8'),
);

// What the model sees is part of the interface: these were read by hand, and change only with a reason.
test.each(stories.map((entry) => [entry.story, entry] as const))(
  'the tools of %s answer as recorded',
  async (name, { calls }) => {
    await using opened = await openStory(name);
    const answers = [];
    for (const { tool, arguments: args } of calls) {
      const { content, isError } = await opened.tools.call(tool, args);
      const result = content
        .replaceAll(opened.sandbox.temporaryFolder, '<temporary>')
        .replaceAll(opened.sandbox.cwd, '<home>');
      answers.push({ tool, arguments: args, isError, result });
    }
    expect(answers).toEqual(calls);
  },
);

test.each(stories.map((entry) => [entry.story, entry] as const))(
  'every tool of %s has at least five recorded calls',
  async (name, { calls }) => {
    await using opened = await openStory(name);
    const counts: Record<string, number> = {};
    for (const tool of opened.names) {
      counts[tool] = calls.filter((call) => call.tool === tool).length;
    }
    expect(Object.entries(counts).filter(([, count]) => count < 5)).toEqual([]);
  },
);
