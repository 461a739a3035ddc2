import type { ToolSchema } from '@talaria/tool-call-parsers';

/** A tool whose parameters have one type each: what plain text means depends on the parameter that it is given for. */
export const runTool: ToolSchema = {
  type: 'function',
  function: {
    name: 'run',
    parameters: {
      type: 'object',
      properties: {
        command: { type: 'string' },
        note: { type: 'string' },
        timeout: { type: 'integer' },
        force: { type: 'boolean' },
        hint: { type: ['string', 'null'] },
        options: { type: 'object' },
      },
    },
  },
};
