import { describe, expect, test } from '@jest/globals';
import { builtinTools, createBuiltinRegistry } from './builtin-tools.ts';
import { builtinToolsets, toolsetAliases } from './builtin-toolsets.ts';
import { defineTool } from './define-tool.ts';
import type { SideEffect, Tool, ToolAvailability } from './tool.ts';
import { createToolRegistry } from './tool-registry.ts';

interface Variation {
  readonly toolset?: string;
  readonly sideEffect?: SideEffect;
  readonly availability?: ToolAvailability;
}

function tool(name: string, { toolset = 'mine', sideEffect = 'sandbox', availability }: Variation = {}): Tool {
  return defineTool({
    name,
    toolset,
    sideEffect,
    description: `Does ${name}.`,
    parameters: { type: 'object', properties: {} },
    checkAvailability: availability === undefined ? undefined : () => availability,
    execute: () => name,
  });
}

const missing: ToolAvailability = { isAvailable: false, reason: 'no key is set' };

describe('createToolRegistry', () => {
  test('refuses two tools of one name, unless the later one is to win', () => {
    const tools = [tool('same'), tool('same', { toolset: 'other' })];
    expect(() => createToolRegistry({ tools })).toThrow(expect.objectContaining({ code: 'task.duplicate-tool' }));
    expect(createToolRegistry({ tools, override: true }).tools.map(({ toolset }) => toolset)).toEqual(['other']);
  });

  test('keeps two registries apart', () => {
    createToolRegistry({ tools: [tool('one')] });
    expect(createToolRegistry({ tools: [tool('two')] }).toolsetNames).toEqual(['mine']);
  });
});

describe('view', () => {
  test('sorts by name, whatever the order of the tools and sets', () => {
    const registry = createToolRegistry({ tools: [tool('b'), tool('a', { toolset: 'x' }), tool('C')] });
    const names = registry.view({ enabled: ['x', 'mine'] }).definitions.map((definition) => definition.function.name);
    expect(names).toEqual(['C', 'a', 'b']);
  });

  test('by default warns of what is missing in a set of which the rest is offered', () => {
    const web = { toolset: 'web', sideEffect: 'external' } as const;
    const tools = [tool('web_extract', web), tool('web_search', { ...web, availability: missing })];
    expect(createToolRegistry({ tools }).view({ enabled: null }).warnings).toEqual([
      'tool "web_search" is not offered: no key is set',
    ]);
  });

  test('by default offers what stays inside the sandbox, and the web where it is configured', () => {
    const registry = createToolRegistry({
      tools: [
        tool('inside'),
        tool('looks', { sideEffect: 'none' }),
        tool('on_host', { sideEffect: 'host' }),
        tool('talks', { sideEffect: 'external' }),
        tool('web_search', { toolset: 'web', sideEffect: 'external' }),
        tool('browser_click', { toolset: 'browser', sideEffect: 'external', availability: missing }),
        tool('memory', { toolset: 'memory', sideEffect: 'none' }),
      ],
    });
    const view = registry.view({ enabled: null });
    expect([...view.names]).toEqual(['inside', 'looks', 'web_search']);
    expect(view.warnings).toEqual([]);
  });

  test('takes the disabled sets away from the default and from what was enabled, and says so in the second case', () => {
    const registry = createBuiltinRegistry();
    expect(registry.view({ disabled: ['terminal'] }).names.has('terminal')).toBe(false);
    const view = registry.view({ enabled: ['terminal', 'file'], disabled: ['debugging'], allowNoTools: true });
    expect([...view.names]).toEqual([]);
    expect(view.warnings).toEqual([
      'disabled toolset "debugging" takes away patch, process, read_file, search_files, terminal, write_file',
    ]);
  });

  test('refuses an unknown set with the valid names and the nearest one', () => {
    const registry = createBuiltinRegistry();
    for (const selection of [{ enabled: ['termnal'] }, { disabled: ['termnal'] }]) {
      expect(() => registry.view(selection)).toThrow(
        expect.objectContaining({
          code: 'config.unknown-toolset',
          message: expect.stringContaining('terminal, todo'),
          hint: 'Did you mean "terminal"?',
        }),
      );
    }
  });

  test('refuses a set that was asked for and cannot be offered, with the reason', () => {
    const registry = createToolRegistry({ tools: [tool('search', { toolset: 'web', availability: missing })] });
    expect(() => registry.view({ enabled: ['web'] })).toThrow(
      expect.objectContaining({
        code: 'config.toolset-unavailable',
        message: expect.stringContaining('no key is set'),
      }),
    );
    expect(() => registry.view({ enabled: ['web'], allowMissingTools: true })).toThrow(
      expect.objectContaining({ code: 'config.no-tools' }),
    );
    const view = registry.view({ enabled: ['web'], allowMissingTools: true, allowNoTools: true });
    expect(view.warnings).toEqual(['tool is not offered: search: no key is set']);
  });

  test('takes a check that throws for a no', () => {
    const broken = { ...tool('broken'), checkAvailability: () => JSON.parse('{') };
    const registry = createToolRegistry({ tools: [broken, tool('fine')] });
    expect([...registry.view().names]).toEqual(['fine']);
    expect(registry.checkAvailability().get('broken')?.isAvailable).toBe(false);
  });

  test('accepts a set whose tools are not written yet with a warning, beside others', () => {
    const view = createBuiltinRegistry().view({ enabled: ['todo', 'moa'] });
    expect([...view.names]).toEqual(['todo']);
    expect(view.warnings).toEqual(['toolset "moa" has no tools yet: mixture_of_agents']);
  });

  test('an empty list asks for nothing but the extra tools', () => {
    const registry = createBuiltinRegistry();
    expect(registry.view({ enabled: [] }).definitions).toEqual([]);
    expect([...registry.view({ enabled: [], extraTools: [tool('extra')] }).names]).toEqual(['extra']);
  });

  test('an extra tool stands in for one of the same name, in this view only', () => {
    const registry = createBuiltinRegistry();
    const extra = tool('todo');
    expect(registry.view({ extraTools: [extra] }).get('todo')).toBe(extra);
    expect(registry.view().get('todo')).not.toBe(extra);
  });

  test('describes tools by what else is offered', () => {
    const registry = createBuiltinRegistry();
    const describe = (enabled: string[]): string | undefined =>
      registry.view({ enabled }).definitions.find(({ function: { name } }) => name === 'write_file')?.function
        .description;
    expect(describe(['file'])).toContain('patch');
    const alone = createToolRegistry({
      tools: builtinTools.filter(({ definition }) => definition.function.name === 'write_file'),
    });
    expect(alone.view().definitions[0]?.function.description).not.toContain('patch');
  });
});

describe('toolsets', () => {
  const implemented = new Set(builtinTools.map((entry) => entry.definition.function.name));
  const file = ['patch', 'read_file', 'search_files', 'write_file'];
  const terminal = ['process', 'terminal'];

  test.each([
    ['terminal', terminal],
    ['file', file],
    ['todo', ['todo']],
    ['debugging', [...file, ...terminal].sort()],
    ['research', [...file, ...terminal, 'execute_code', 'todo'].sort()],
    ['hermes-cli', [...implemented].sort()],
    ['hermes-telegram', [...implemented].sort()],
    ['hermes-gateway', [...implemented].sort()],
    ['hermes-api-server', [...implemented].sort()],
    ['talaria-api-server', [...implemented].sort()],
    ['hermes-acp', [...implemented].sort()],
    ['all', [...implemented].sort()],
    ['*', [...implemented].sort()],
    ['terminal_tools', terminal],
    ['file_tools', file],
    ['web', []],
    ['search', []],
    ['browser', []],
    ['vision', []],
    ['safe', []],
    ['memory', []],
    ['session_search', []],
    ['clarify', []],
    ['code_execution', ['execute_code']],
    ['image_gen', []],
    ['moa', []],
    ['skills', []],
    ['cronjob', []],
    ['messaging', []],
    ['rl', []],
    ['tts', []],
    ['delegation', []],
    ['honcho', []],
    ['homeassistant', []],
  ])('%s resolves to its tools', (name, expected) => {
    expect(createBuiltinRegistry().resolveToolset(name)).toEqual(expected);
  });

  test('every alias and every set resolves', () => {
    const registry = createBuiltinRegistry();
    const names = [...toolsetAliases.keys(), ...builtinToolsets.map(({ name }) => name)];
    expect(() => names.map((name) => registry.resolveToolset(name))).not.toThrow();
  });

  test('cycles and diamonds end', () => {
    const registry = createToolRegistry({
      tools: [tool('one'), tool('two', { toolset: 'other' })],
      toolsets: [
        { name: 'left', description: '', includes: ['right', 'mine'] },
        { name: 'right', description: '', includes: ['left', 'mine', 'other'] },
      ],
    });
    expect(registry.resolveToolset('left')).toEqual(['one', 'two']);
  });
});
