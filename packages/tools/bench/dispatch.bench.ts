import { type Benchmark, measureSpawnMs, quantile, sampleMs } from '@talaria/testing-services/bench';
import { createBuiltinRegistry, createToolDispatcher, defineTool } from '@talaria/tools';

const memoryTool = defineTool<{ text: string }>({
  name: 'echo',
  description: 'Gives back what it gets.',
  toolset: 'memory-only',
  sideEffect: 'none',
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  execute: ({ text }) => ({ text }),
});

/** What a tool call costs beside the tool itself: parsing, checking, approval, limits. */
export const benchmark: Benchmark = {
  name: 'tools: dispatch',
  async run() {
    const spawnMs = await measureSpawnMs();
    const registry = createBuiltinRegistry([memoryTool]);
    const viewMs = await sampleMs(200, () => registry.view());
    const dispatcher = createToolDispatcher({
      view: registry.view(),
      taskId: 'bench',
      rolloutId: 'bench',
      sandbox: () => Promise.reject(new TypeError('The benchmark has no sandbox')),
    });
    let count = 0;
    const callMs = await sampleMs(5_000, () => {
      count += 1;
      return dispatcher.dispatch({
        id: `call_${count}`,
        type: 'function',
        function: { name: 'echo', arguments: `{"text":"number ${count}"}` },
      });
    });
    await dispatcher[Symbol.asyncDispose]();
    return [
      {
        name: 'one call of an in-memory tool, p50',
        measured: quantile(callMs, 0.5) / spawnMs,
        unit: 'spawn',
        limit: { kind: 'at most', value: 0.05 },
        note: `${(quantile(callMs, 0.5) * 1_000).toFixed(1)} µs; a spawn is ${spawnMs.toFixed(2)} ms`,
      },
      {
        name: 'one call of an in-memory tool, p95',
        measured: quantile(callMs, 0.95) / spawnMs,
        unit: 'spawn',
        limit: { kind: 'at most', value: 0.2 },
        note: `${(quantile(callMs, 0.95) * 1_000).toFixed(1)} µs`,
      },
      {
        name: 'a view of all built-in tools, p50',
        measured: quantile(viewMs, 0.5) / spawnMs,
        unit: 'spawn',
        limit: { kind: 'at most', value: 0.2 },
        note: `${(quantile(viewMs, 0.5) * 1_000).toFixed(1)} µs`,
      },
    ];
  },
};
