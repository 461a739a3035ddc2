import { describe, expect, test } from '@jest/globals';
import type { JsonObject } from '@talaria/core';
import { createToolRegistry, defineTool } from '@talaria/tools';
import { processEnvironment } from '../src/index.ts';
import { driverOptions, numberItems, numbers, readRows, temporaryFolder } from './harness.ts';

/** One tool in each of the named toolsets. */
function registryOf(...toolsets: readonly string[]) {
  return createToolRegistry({
    tools: toolsets.map((toolset) =>
      defineTool({
        name: `use_${toolset}`,
        description: 'Does nothing.',
        parameters: { type: 'object', properties: {} },
        toolset,
        sideEffect: 'none',
        execute: async () => ({}),
      }),
    ),
  });
}

interface Draw {
  readonly distribution: string;
  readonly toolsets: readonly string[];
  readonly groups?: number;
  readonly argv?: readonly string[];
}

/** The toolsets of each rollout, group by group. */
async function draw({ distribution, toolsets, groups = 1, argv = [] }: Draw) {
  await using folder = await temporaryFolder();
  const environment = numbers({ items: numberItems(groups) });
  const options = driverOptions(environment, {
    folder: folder.path,
    argv: ['--steps', String(groups), '--env.distribution', distribution, ...argv],
    changes: { registry: registryOf(...toolsets) },
  });
  const { outputPath } = await processEnvironment(environment, { ...options, rows: 'rollout' });
  const rows = await readRows(outputPath);
  const byGroup = new Map<unknown, string[]>();
  for (const row of rows) {
    byGroup.set(row['group_index'], [...(byGroup.get(row['group_index']) ?? []), JSON.stringify(row['toolsets'])]);
  }
  return [...byGroup].sort(([left], [right]) => Number(left) - Number(right)).map(([, drawn]) => drawn);
}

const taskToolsets = ['terminal', 'file', 'web', 'browser', 'vision', 'image_gen'];

describe('env.distribution', () => {
  test('draws toolsets for each group, the same for all its rollouts', async () => {
    const groups = await draw({ distribution: 'mixed_tasks', toolsets: taskToolsets, groups: 30 });
    expect(groups).toHaveLength(30);
    for (const drawn of groups) expect(new Set(drawn).size).toBe(1);
    expect(new Set(groups.flat()).size).toBeGreaterThan(1);
  });

  test('draws the same again with the same seed, and something else with another', async () => {
    const common = { distribution: 'mixed_tasks', toolsets: taskToolsets, groups: 20 };
    const first = await draw({ ...common, argv: ['--seed', '1'] });
    expect(await draw({ ...common, argv: ['--seed', '1'] })).toEqual(first);
    expect(await draw({ ...common, argv: ['--seed', '2'] })).not.toEqual(first);
  });

  test('follows the chances of the distribution', async () => {
    const groups = await draw({
      distribution: 'terminal_tasks',
      toolsets: taskToolsets,
      groups: 200,
      argv: ['--seed', '7', '--group-size', '1'],
    });
    const share = (name: string) => groups.filter(([drawn]) => drawn?.includes(`"${name}"`)).length / groups.length;
    expect(share('terminal')).toBeGreaterThan(0.9);
    expect(share('browser')).toBeGreaterThan(0.6);
    expect(share('browser')).toBeLessThan(0.9);
    expect(share('image_gen')).toBeLessThan(0.25);
  });

  test('draws only from what can be had here, and never nothing', async () => {
    const groups = await draw({ distribution: 'reasoning', toolsets: ['terminal'], groups: 20 });
    expect(new Set(groups.flat())).toEqual(new Set(['["terminal"]']));
  });

  test.each([
    ['terminal_taks', ['terminal'], 'config.unknown-distribution', /Did you mean terminal_tasks\?/],
    ['toString', ['terminal'], 'config.unknown-distribution', /There are default, /],
    ['browser_only', ['terminal'], 'config.distribution-unavailable', /talaria tools doctor/],
  ])('%s with the toolsets %j is refused before anything runs', async (distribution, toolsets, code, hint) => {
    await expect(draw({ distribution, toolsets })).rejects.toMatchObject({ code, hint: expect.stringMatching(hint) });
  });

  test('is one of the user’s own where that is given, and a run goes on only with the same', async () => {
    await using folder = await temporaryFolder();
    const environment = numbers({ items: numberItems(2) });
    const run = (toolsets: Readonly<Record<string, number>>, argv: readonly string[] = []) => {
      const options = driverOptions(environment, {
        folder: folder.path,
        argv: ['--steps', '2', '--env.distribution', 'own.yaml', ...argv],
        changes: {
          registry: registryOf(...taskToolsets),
          distribution: { name: 'own', description: '', toolsets },
        },
      });
      return processEnvironment(environment, { ...options, rows: 'rollout' });
    };
    const { outputPath } = await run({ file: 100, terminal: 0 });
    expect((await readRows(outputPath)).map((row) => row['toolsets'])).toEqual(Array(4).fill(['file']));
    await expect(run({ file: 100, terminal: 50 }, ['--env.resume'])).rejects.toMatchObject({
      code: 'state.different-run',
      message: expect.stringContaining('distribution'),
    });
    expect((await run({ file: 100, terminal: 0 }, ['--env.resume'])).outputPath).toBe(outputPath);
  });

  test('excludes env.enabled_toolsets', async () => {
    const argv = ['--toolsets', 'terminal'];
    await expect(draw({ distribution: 'default', toolsets: ['terminal'], argv })).rejects.toMatchObject({
      code: 'config.conflict',
    });
  });
});

describe('an item that may not reach the network', () => {
  const toolsOf = (rows: readonly JsonObject[]) =>
    rows.map((row) => [String(row['item_json']), String(row['tools_json'])]);

  test('is offered no tools of the web and of the browser, whatever is configured', async () => {
    await using folder = await temporaryFolder();
    const environment = numbers({
      items: numberItems(2).map((item, index) => ({ ...item, network: index === 1 })),
    });
    const options = driverOptions(environment, {
      folder: folder.path,
      argv: ['--steps', '2', '--toolsets', 'terminal,web,browser', '--allow-local'],
      changes: { registry: registryOf('terminal', 'web', 'browser') },
    });
    const { outputPath } = await processEnvironment(environment, { ...options, rows: 'rollout' });
    const offered = toolsOf(await readRows(outputPath));
    for (const [item = '', tools = ''] of offered) {
      expect(tools).toContain('use_terminal');
      expect([tools.includes('use_web'), tools.includes('use_browser')]).toEqual(
        item.includes('"network":false') ? [false, false] : [true, true],
      );
    }
    expect(offered).toHaveLength(4);
  });
});
