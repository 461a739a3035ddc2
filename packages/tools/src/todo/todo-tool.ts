import { toolFromOptions } from '../define-tool.ts';
import type { Tool } from '../tool.ts';
import type { ToolStateKey } from '../tool-state.ts';
import { mergeTodos, replaceTodos, summarizeTodos, type TodoEntry, type TodoItem } from './todo-list.ts';

interface TodoArguments {
  readonly todos?: readonly TodoEntry[];
  readonly merge?: boolean;
}

/** The rollout's list. */
export const todoState: ToolStateKey<{ items: readonly TodoItem[] }> = {
  name: 'todo-list',
  create: () => ({ items: [] }),
};

/** Keeps a list of what is to be done. */
export const todoTool: Tool = toolFromOptions<TodoArguments>({
  name: 'todo',
  toolset: 'todo',
  sideEffect: 'none',
  description: 'Keep a list of what is to be done in longer work. Without todos the list is only shown.',
  parameters: {
    type: 'object',
    properties: {
      todos: {
        type: 'array',
        description: 'The whole list, or with merge the items that change',
        items: {
          type: 'object',
          properties: {
            id: { type: 'string' },
            content: { type: 'string' },
            status: { type: 'string', description: 'pending, in_progress, completed or cancelled' },
          },
        },
      },
      merge: { type: 'boolean', default: false, description: 'Change items by id and add new ones; keep the others' },
    },
  },
  execute({ todos, merge = false }, { state }) {
    const list = state.get(todoState);
    if (todos !== undefined) list.items = merge ? mergeTodos(list.items, todos) : replaceTodos(todos);
    return {
      todos: list.items.map(({ id, content, status }) => ({ id, content, status })),
      summary: { ...summarizeTodos(list.items) },
    };
  },
});
