import type { ToolCallParser, ToolSchema } from '@talaria/tool-call-parsers';

/** The tool that is called in the samples. */
export const sampleTools: readonly ToolSchema[] = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      parameters: { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } } },
    },
  },
];

const calls = [{ name: 'get_weather', arguments: { city: 'Oslo', days: 3 } }];

/** A call as models of this format write it, behind some words where the format has room for them. */
export function writeSample(parser: ToolCallParser): string {
  const options = { tools: sampleTools, content: 'Let me look.' };
  return parser.render(calls, parser.canRender(calls, options) ? options : { tools: sampleTools });
}
