import { describe, expect, test } from '@jest/globals';
import { createBuiltinRegistry } from '../builtin-tools.ts';
import { defineTool } from '../define-tool.ts';
import type { Tool, ToolAvailability } from '../tool.ts';
import { createToolRegistry } from '../tool-registry.ts';
import { builtinDistributions, getDistribution } from './builtin-distributions.ts';
import { prepareDistribution } from './prepare-distribution.ts';
import { parseDistribution } from './toolset-distribution.ts';
import { seededDraw } from './toolset-draw.ts';

const sets = ['web', 'vision', 'image_gen', 'terminal', 'file', 'moa', 'browser'] as const;

/** Columns of the specification: web, vision, image_gen, terminal, file, moa, browser; 0 for an absent one. */
const table: Readonly<Record<string, readonly number[]>> = {
  default: [100, 100, 100, 100, 100, 100, 100],
  image_gen: [55, 90, 90, 45, 0, 10, 0],
  research: [90, 50, 0, 10, 0, 40, 70],
  science: [94, 65, 15, 94, 94, 10, 50],
  development: [30, 10, 0, 80, 80, 60, 0],
  safe: [80, 60, 60, 0, 0, 50, 70],
  balanced: [50, 50, 50, 50, 50, 50, 50],
  minimal: [100, 0, 0, 0, 0, 0, 0],
  terminal_only: [0, 0, 0, 100, 100, 0, 0],
  terminal_web: [100, 0, 0, 100, 100, 0, 0],
  creative: [30, 90, 90, 0, 0, 0, 0],
  reasoning: [30, 0, 0, 20, 0, 90, 0],
  browser_use: [80, 70, 0, 0, 0, 0, 100],
  browser_only: [0, 0, 0, 0, 0, 0, 100],
  browser_tasks: [0, 12, 0, 15, 0, 0, 97],
  terminal_tasks: [97, 50, 10, 97, 97, 0, 75],
  mixed_tasks: [35, 15, 15, 92, 92, 0, 92],
};

function tool(toolset: string, availability: ToolAvailability = { isAvailable: true }): Tool {
  return defineTool({
    name: `${toolset}_tool`,
    description: '',
    toolset,
    parameters: { type: 'object' },
    checkAvailability: () => availability,
    execute: () => '',
  });
}

const everything = createToolRegistry({ tools: sets.map((toolset) => tool(toolset)) });

describe('the built-in distributions', () => {
  test('are those of the table', () => {
    expect(builtinDistributions.map(({ name }) => name)).toEqual(Object.keys(table));
    for (const { name, toolsets } of builtinDistributions) {
      const percents = sets.map((toolset) => toolsets[toolset] ?? 0);
      expect({ name, percents }).toEqual({ name, percents: table[name] });
    }
  });

  test.each([
    ['research', ['web', 'browser', 'vision', 'moa', 'terminal']],
    ['science', ['web', 'terminal', 'file', 'vision', 'browser', 'image_gen', 'moa']],
    ['image_gen', ['image_gen', 'vision', 'web', 'terminal', 'moa']],
    ['mixed_tasks', ['browser', 'terminal', 'file', 'web', 'vision', 'image_gen']],
    ['reasoning', ['moa', 'web', 'terminal']],
  ])('%s is defined in this order', (name, order) => {
    expect(Object.keys(getDistribution(name).toolsets)).toEqual(order);
  });

  test('an unknown name tells the valid ones and the nearest', () => {
    expect(() => getDistribution('balancd')).toThrow(
      expect.objectContaining({
        code: 'config.unknown-distribution',
        hint: expect.stringMatching(/^Did you mean balanced\? There are default, /),
      }),
    );
  });
});

describe('sampling', () => {
  const sample = (name: string, rowKey: string): readonly string[] =>
    prepareDistribution(getDistribution(name), everything).sample(seededDraw('s1', rowKey));

  test('gives the check values of the specification', () => {
    expect(seededDraw('s1', 'k-0')('web')).toBe(0.48336359639229365);
    expect(sample('balanced', 'k-0')).toEqual(['web', 'vision', 'terminal', 'moa', 'browser']);
    expect(sample('balanced', 'k-1')).toEqual(['vision', 'image_gen', 'moa', 'browser']);
    expect(sample('balanced', 'k-3')).toEqual(['vision', 'image_gen', 'moa']);
    expect(sample('reasoning', 'k-29')).toEqual(['moa']);
  });

  test('draws each set as often as its percentage says', () => {
    const prepared = prepareDistribution(getDistribution('research'), everything);
    const rows = Array.from({ length: 4_000 }, (_, index) => prepared.sample(seededDraw('seed', `row-${index}`)));
    for (const [toolset, percent] of Object.entries(prepared.toolsets)) {
      const share = (100 * rows.filter((row) => row.includes(toolset)).length) / rows.length;
      expect(Math.abs(share - percent)).toBeLessThan(4);
    }
  });

  test('takes sets out that cannot be offered, tells why, and falls back to one that can', () => {
    const registry = createToolRegistry({
      tools: [tool('web', { isAvailable: false, reason: 'no provider' }), tool('terminal')],
      toolsets: [{ name: 'moa', description: '', tools: ['mixture_of_agents'] }],
    });
    const prepared = prepareDistribution(getDistribution('reasoning'), registry);
    expect(prepared.removed).toEqual([
      { toolset: 'moa', reason: 'it has no tools here' },
      { toolset: 'web', reason: 'no provider' },
    ]);
    expect(prepared.toolsets).toEqual({ terminal: 20 });
    expect(prepared.sample(() => 0.999)).toEqual(['terminal']);
  });

  test('fails where nothing is left, before anything is sampled', () => {
    expect(() => prepareDistribution(getDistribution('creative'), createBuiltinRegistry())).toThrow(
      expect.objectContaining({
        code: 'config.distribution-unavailable',
        message: expect.stringContaining('image_gen'),
      }),
    );
  });

  test('an unknown set is refused by its name', () => {
    const own = parseDistribution({ name: 'own', toolsets: { terminl: 50 } }, 'own.yaml');
    expect(() => prepareDistribution(own, createBuiltinRegistry())).toThrow(
      expect.objectContaining({ code: 'config.unknown-toolset', hint: 'Did you mean "terminal"?' }),
    );
  });
});

describe('a distribution of one’s own', () => {
  test('may have a percentage of 0, which is never drawn', () => {
    const own = parseDistribution({ name: 'own', description: 'x', toolsets: { web: 0, terminal: 100 } }, 'own.yaml');
    const prepared = prepareDistribution(own, everything);
    expect(prepared.sample(() => 0)).toEqual(['terminal']);
  });

  test.each([
    ['no object', 7],
    ['no sets', { name: 'x', toolsets: {} }],
    ['a percentage above 100', { name: 'x', toolsets: { web: 101 } }],
    ['a negative percentage', { name: 'x', toolsets: { web: -1 } }],
    ['a text for a percentage', { name: 'x', toolsets: { web: '50' } }],
    ['an unknown field', { name: 'x', toolsets: { web: 1 }, toolset: {} }],
  ])('is refused with %s', (_title, value) => {
    expect(() => parseDistribution(value, 'own.yaml')).toThrow(
      expect.objectContaining({ code: 'config.invalid', message: expect.stringContaining('own.yaml') }),
    );
  });
});
