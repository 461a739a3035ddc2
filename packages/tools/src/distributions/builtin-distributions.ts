import { ConfigError, nearestName } from '@talaria/core';
import type { ToolsetDistribution } from './toolset-distribution.ts';

function distribution(
  name: string,
  description: string,
  toolsets: Readonly<Record<string, number>>,
): ToolsetDistribution {
  return { name, description, toolsets };
}

/** The distributions that come with Talaria: names, order and percentages of upstream (spec/batch-runner.md 6). */
export const builtinDistributions: readonly ToolsetDistribution[] = [
  distribution('default', 'Every toolset, every time', {
    web: 100,
    vision: 100,
    image_gen: 100,
    terminal: 100,
    file: 100,
    moa: 100,
    browser: 100,
  }),
  distribution('image_gen', 'Making pictures, with some vision and web', {
    image_gen: 90,
    vision: 90,
    web: 55,
    terminal: 45,
    moa: 10,
  }),
  distribution('research', 'Studying the web in searches and a browser', {
    web: 90,
    browser: 70,
    vision: 50,
    moa: 40,
    terminal: 10,
  }),
  distribution('science', 'Web, commands, files, and papers in a browser', {
    web: 94,
    terminal: 94,
    file: 94,
    vision: 65,
    browser: 50,
    image_gen: 15,
    moa: 10,
  }),
  distribution('development', 'Commands, files and reasoning, seldom the web', {
    terminal: 80,
    file: 80,
    moa: 60,
    web: 30,
    vision: 10,
  }),
  distribution('safe', 'No commands and no files', { web: 80, browser: 70, vision: 60, image_gen: 60, moa: 50 }),
  distribution('balanced', 'Each toolset by the toss of a coin', {
    web: 50,
    vision: 50,
    image_gen: 50,
    terminal: 50,
    file: 50,
    moa: 50,
    browser: 50,
  }),
  distribution('minimal', 'The web alone', { web: 100 }),
  distribution('terminal_only', 'Commands and files', { terminal: 100, file: 100 }),
  distribution('terminal_web', 'Commands, files and the web', { terminal: 100, file: 100, web: 100 }),
  distribution('creative', 'Pictures, made and looked at', { image_gen: 90, vision: 90, web: 30 }),
  distribution('reasoning', 'Mostly several models asked together', { moa: 90, web: 30, terminal: 20 }),
  distribution('browser_use', 'A browser, with search and vision', { browser: 100, web: 80, vision: 70 }),
  distribution('browser_only', 'A browser alone', { browser: 100 }),
  distribution('browser_tasks', 'For data sets of browser tasks', { browser: 97, vision: 12, terminal: 15 }),
  distribution('terminal_tasks', 'For data sets of terminal tasks, others at hand', {
    terminal: 97,
    file: 97,
    web: 97,
    browser: 75,
    vision: 50,
    image_gen: 10,
  }),
  distribution('mixed_tasks', 'Browser and terminal together', {
    browser: 92,
    terminal: 92,
    file: 92,
    web: 35,
    vision: 15,
    image_gen: 15,
  }),
];

/** Finds one by its name. @throws ConfigError `config.unknown-distribution` */
export function getDistribution(name: string): ToolsetDistribution {
  const found = builtinDistributions.find((entry) => entry.name === name);
  if (found !== undefined) return found;
  const names = builtinDistributions.map((entry) => entry.name);
  const nearest = nearestName(name, names, 3);
  throw new ConfigError(`Unknown distribution of toolsets ${JSON.stringify(name)}`, {
    code: 'config.unknown-distribution',
    hint: `${nearest === undefined ? '' : `Did you mean ${nearest}? `}There are ${names.join(', ')}.`,
  });
}
