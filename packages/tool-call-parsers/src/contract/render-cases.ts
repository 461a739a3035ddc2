import type { RenderCall, ToolCallParser } from '../tool-call-parser.ts';
import { type ContractCase, demand, show } from './contract-case.ts';
import { isSameJson } from './json-value.ts';
import { requireSound } from './result-checks.ts';
import type { ToolCallVector } from './tool-call-vector.ts';

/** The cases that concern writing: what is written is read back the same, and what would not be is refused. */
export function renderCases(vectors: readonly ToolCallVector[]): readonly ContractCase<ToolCallParser>[] {
  return [
    {
      name: 'render: the calls of every vector are read back the same',
      async run(open) {
        const parser = await open();
        for (const { input, tools } of vectors) {
          const { toolCalls } = parser.parse(input, { tools });
          requireReadBack(parser, toolCalls, { tools });
          requireReadBack(parser, toolCalls, { tools, content: 'Some words.' });
        }
      },
    },
    {
      name: 'render: refuses what is no call, and canRender says so in advance',
      async run(open) {
        const parser = await open();
        const bad: RenderCall[] = [
          { name: '', arguments: {} },
          { name: 'probe', arguments: '[1]' },
          { name: 'probe', arguments: '{"a": ' },
          { name: 'probe', arguments: { n: Number.NaN } },
        ];
        for (const call of bad) {
          demand(!parser.canRender([call]), () => `canRender accepts ${show(call)}`);
          demand(renderOrUndefined(parser, [call]) === undefined, () => `render accepts ${show(call)}`);
        }
      },
    },
  ];
}

function requireReadBack(
  parser: ToolCallParser,
  calls: readonly RenderCall[],
  options: Pick<ToolCallVector, 'tools'> & { readonly content?: string | undefined },
): void {
  const text = renderOrUndefined(parser, calls, options);
  demand(
    parser.canRender(calls, options) === (text !== undefined),
    () => `canRender and render differ on ${show(calls)}`,
  );
  if (text === undefined) return;
  const result = parser.parse(text, { tools: options.tools });
  requireSound(result, text);
  const names = result.toolCalls.map((call) => call.name);
  const isNamed = isSameJson(
    names,
    calls.map((call) => call.name),
  );
  const isSame = result.toolCalls.every((call, index) =>
    isSameJson(JSON.parse(call.arguments), argumentsValue(calls[index])),
  );
  demand(isNamed && isSame, () => `${show(calls)} was written ${show(text)} and read ${show(result)}`);
  const content = options.content ?? (calls.length === 0 ? '' : null);
  demand(result.content === content, () => `Beside ${show(text)} the content became ${show(result.content)}`);
}

function argumentsValue(call: RenderCall | undefined): unknown {
  return typeof call?.arguments === 'string' ? JSON.parse(call.arguments) : call?.arguments;
}

function renderOrUndefined(
  parser: ToolCallParser,
  calls: readonly RenderCall[],
  options?: Parameters<ToolCallParser['render']>[1],
): string | undefined {
  try {
    return parser.render(calls, options);
  } catch (error) {
    const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
    if (code !== 'parser.unrenderable') throw error;
    return undefined;
  }
}
