import { ConfigError, nearestName, type RandomSource } from '@talaria/core';

/** A toolset and the chance, in percent, that a group is offered it. */
type Chance = readonly [toolset: string, percent: number];

const everything = ['web', 'vision', 'image_gen', 'terminal', 'file', 'moa', 'browser'] as const;

const distributions: Readonly<Record<string, readonly Chance[]>> = {
  default: everything.map((name) => [name, 100]),
  image_gen: [
    ['image_gen', 90],
    ['vision', 90],
    ['web', 55],
    ['terminal', 45],
    ['moa', 10],
  ],
  research: [
    ['web', 90],
    ['browser', 70],
    ['vision', 50],
    ['moa', 40],
    ['terminal', 10],
  ],
  science: [
    ['web', 94],
    ['terminal', 94],
    ['file', 94],
    ['vision', 65],
    ['browser', 50],
    ['image_gen', 15],
    ['moa', 10],
  ],
  development: [
    ['terminal', 80],
    ['file', 80],
    ['moa', 60],
    ['web', 30],
    ['vision', 10],
  ],
  safe: [
    ['web', 80],
    ['browser', 70],
    ['vision', 60],
    ['image_gen', 60],
    ['moa', 50],
  ],
  balanced: everything.map((name) => [name, 50]),
  minimal: [['web', 100]],
  terminal_only: [
    ['terminal', 100],
    ['file', 100],
  ],
  terminal_web: [
    ['terminal', 100],
    ['file', 100],
    ['web', 100],
  ],
  creative: [
    ['image_gen', 90],
    ['vision', 90],
    ['web', 30],
  ],
  reasoning: [
    ['moa', 90],
    ['web', 30],
    ['terminal', 20],
  ],
  browser_use: [
    ['browser', 100],
    ['web', 80],
    ['vision', 70],
  ],
  browser_only: [['browser', 100]],
  browser_tasks: [
    ['browser', 97],
    ['terminal', 15],
    ['vision', 12],
  ],
  terminal_tasks: [
    ['terminal', 97],
    ['file', 97],
    ['web', 97],
    ['browser', 75],
    ['vision', 50],
    ['image_gen', 10],
  ],
  mixed_tasks: [
    ['browser', 92],
    ['terminal', 92],
    ['file', 92],
    ['web', 35],
    ['vision', 15],
    ['image_gen', 15],
  ],
};

/**
 * The toolsets of a distribution that can be had here, with their chances.
 * @throws ConfigError `config.unknown-distribution`; `config.no-tools` where none of its toolsets can be had
 */
export function readDistribution(name: string, availableToolsets: ReadonlySet<string>): readonly Chance[] {
  const chances = Object.hasOwn(distributions, name) ? distributions[name] : undefined;
  if (chances === undefined) {
    const names = Object.keys(distributions);
    const meant = nearestName(name, names);
    throw new ConfigError(`Unknown toolset distribution ${JSON.stringify(name)}`, {
      code: 'config.unknown-distribution',
      hint: `${meant === undefined ? '' : `Did you mean ${meant}? `}There are ${names.join(', ')}.`,
    });
  }
  const available = chances.filter(([toolset]) => availableToolsets.has(toolset));
  if (available.length > 0) return available;
  throw new ConfigError(`No toolset of the distribution ${name} can be offered here`, {
    code: 'config.no-tools',
    hint: `It holds ${chances.map(([toolset]) => toolset).join(', ')}; terminal_only works everywhere.`,
  });
}

/** Draws each toolset by its own chance; where none is drawn, the likeliest, and of several the first. */
export function drawToolsets(chances: readonly Chance[], random: RandomSource): readonly string[] {
  const drawn = chances.filter(([, percent]) => random() * 100 < percent).map(([toolset]) => toolset);
  if (drawn.length > 0) return drawn;
  const likeliest = chances.reduce((best, chance) => (chance[1] > best[1] ? chance : best));
  return [likeliest[0]];
}
