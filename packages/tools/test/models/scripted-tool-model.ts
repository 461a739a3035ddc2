import type { ToolModel } from '@talaria/tools/models';

/** What a model was asked. */
export type Asked = Parameters<ToolModel['ask']>[0];

/** A model in this process, with what it was asked. */
export interface ScriptedToolModel extends ToolModel {
  readonly asked: readonly Asked[];
}

/** Creates a model that answers what it is told to, whatever it is asked. */
export function createScriptedToolModel(
  name: string,
  answer: (request: Asked, signal: AbortSignal) => string | Promise<string>,
): ScriptedToolModel {
  const asked: Asked[] = [];
  return {
    name,
    asked,
    async ask(request, { signal }) {
      asked.push(request);
      return { text: await answer(request, signal), usage: null };
    },
  };
}
