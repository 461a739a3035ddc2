import type { RenderCall } from '@talaria/tool-call-parsers';
import type { RandomSource } from './random-source.ts';

const names = ['ping', 'get_weather', 'fs.read', 'mcp__mail-box__list', 'a/b:c', 'поиск', 'f1'];
const keys = ['city', 'days', 'k', 'text', 'a_b', 'x1', 'Über', 'two words', 'key"', '__proto__', 'name', 'arguments'];
const strings = [
  '',
  'Oslo',
  ' a ',
  '\nx\n',
  '12',
  'null',
  'True',
  '{"a": 1}',
  'it\'s "so"',
  '\\',
  '\\n',
  '<b>&amp;</b>',
  '👋 é',
  'a, b) ] }',
  '\t',
];

/** One to three calls with all kinds of arguments. */
export function randomCalls(random: RandomSource): readonly RenderCall[] {
  return Array.from({ length: 1 + random.below(3) }, () => ({
    name: random.pick(names),
    arguments: randomObject(random, 3),
  }));
}

function randomObject(random: RandomSource, depth: number): Readonly<Record<string, unknown>> {
  const members = Array.from({ length: random.below(4) }, () => [random.pick(keys), randomValue(random, depth - 1)]);
  return Object.fromEntries(members);
}

function randomValue(random: RandomSource, depth: number): unknown {
  const kind = random.below(depth > 0 ? 9 : 7);
  if (kind === 0) return random.below(2000) - 1000;
  if (kind === 1) return (random.below(2000) - 1000) / 8;
  if (kind === 2) return random.chance(0.5);
  if (kind === 3) return null;
  if (kind < 7) return random.pick(strings) + (random.chance(0.2) ? random.pick(strings) : '');
  if (kind === 7) return randomObject(random, depth);
  return Array.from({ length: random.below(3) }, () => randomValue(random, depth - 1));
}
