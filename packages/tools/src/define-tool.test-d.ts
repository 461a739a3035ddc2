import { expectTypeOf } from 'expect-type';
import { z } from 'zod';
import { createToolDispatcher, defineTool, type Tool, type ToolCallContext, type ToolDispatcher } from './index.ts';

const tool = defineTool<{ readonly text: string; readonly count?: number }>({
  name: 'repeat',
  description: 'Repeats a text.',
  toolset: 'mine',
  parameters: { type: 'object' },
  execute(args, context) {
    expectTypeOf(args).toEqualTypeOf<{ readonly text: string; readonly count?: number }>();
    expectTypeOf(context).toEqualTypeOf<ToolCallContext>();
    return { text: args.text };
  },
});
expectTypeOf(tool).toEqualTypeOf<Tool>();

// @ts-expect-error: a result must be JSON
defineTool({ name: 'x', description: '', toolset: 't', parameters: {}, execute: () => () => 1 });

// @ts-expect-error: a view is needed
createToolDispatcher({ taskId: 't', rolloutId: 'r', sandbox: () => Promise.reject() });

expectTypeOf(createToolDispatcher).returns.toExtend<ToolDispatcher & AsyncDisposable>();

defineTool({
  name: 'roll',
  description: 'Rolls a die.',
  toolset: 'games',
  parameters: z.object({ sides: z.int().min(2).default(6), label: z.string().optional() }),
  execute(args) {
    expectTypeOf(args).toEqualTypeOf<{ sides: number; label?: string | undefined }>();
    return { rolled: args.sides };
  },
});
