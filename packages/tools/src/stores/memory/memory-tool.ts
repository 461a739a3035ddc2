import type { JsonObject } from '@talaria/core';
import { toolFromOptions } from '../../define-tool.ts';
import type { Tool, ToolResult } from '../../tool.ts';
import { toolError } from '../../tool-result.ts';
import type { StoreOfCall, TenantOfCall } from '../store-access.ts';
import { storedText } from '../stored-text.ts';
import { changeMemory, type MemoryRequest, memoryChars } from './change-memory.ts';
import type { MemoryStore, MemoryTarget } from './memory-store.ts';

/** Most characters of all entries of a target together, with three between two entries. */
export type MemoryLimits = Readonly<Record<MemoryTarget, number>>;

interface MemoryArguments {
  readonly action: 'add' | 'replace' | 'remove';
  readonly target: MemoryTarget;
  readonly content?: string;
  readonly old_text?: string;
}

/** What {@link createMemoryTool} takes. */
export interface MemoryToolOptions {
  readonly storeOf: StoreOfCall<MemoryStore> | undefined;
  readonly tenantOf: TenantOfCall;
  readonly limits: MemoryLimits;
}

/** The tool `memory`: notes that outlive a session. */
export function createMemoryTool({ limits, storeOf, tenantOf }: MemoryToolOptions): Tool {
  return toolFromOptions<MemoryArguments>({
    name: 'memory',
    toolset: 'memory',
    sideEffect: 'host',
    description:
      'Keep short notes for later sessions: facts that stay true, such as how this environment works or what the user wants. Not for the progress of a task. Space is small; the result shows all entries and how full it is.',
    parameters: {
      type: 'object',
      properties: {
        action: { type: 'string', enum: ['add', 'replace', 'remove'] },
        target: {
          type: 'string',
          enum: ['memory', 'user'],
          description: 'memory: notes about the work and its environment; user: who the user is and what they prefer',
        },
        content: { type: 'string', description: 'The entry, for add and replace' },
        old_text: {
          type: 'string',
          description: 'For replace and remove: a part of the entry, word for word, that no other entry holds',
        },
      },
      required: ['action', 'target'],
    },
    checkAvailability: () =>
      storeOf === undefined
        ? { isAvailable: false, reason: 'no store for notes is configured' }
        : { isAvailable: true },
    async execute({ action, target, content = '', old_text: oldText = '' }, context) {
      if (storeOf === undefined) return toolError('not_available', 'There are no notes here.', { success: false });
      const request = requestOf(action, storedText(content).trim(), storedText(oldText).trim());
      if (typeof request === 'string') return toolError('invalid_args', request, { success: false });
      const limit = limits[target];
      const { signal } = context;
      const outcome = await storeOf(context).update(
        tenantOf(context),
        target,
        (entries) => changeMemory(entries, request, limit),
        {
          signal,
        },
      );
      const state = { target, entries: outcome.entries, ...usageOf(outcome.entries, limit) };
      if (outcome.kind === 'done') return { success: true, ...state, message: outcome.message };
      return refused(outcome.errorKind, outcome.message, {
        ...state,
        ...(outcome.matches === undefined ? {} : { matches: outcome.matches }),
      });
    },
  });
}

/** The request, or what is missing. */
function requestOf(action: MemoryArguments['action'], content: string, oldText: string): MemoryRequest | string {
  if (action !== 'add' && oldText === '') return `old_text is needed for ${action}: a part of the entry that is meant.`;
  if (action === 'remove') return { action, oldText };
  if (content === '') {
    return action === 'add' ? 'content is needed for add.' : 'content is needed for replace; to delete, use remove.';
  }
  return action === 'add' ? { action, content } : { action, oldText, content };
}

function refused(kind: Parameters<typeof toolError>[0], message: string, state: JsonObject): ToolResult {
  return toolError(kind, message, { success: false, ...state });
}

function usageOf(entries: readonly string[], limit: number): { readonly usage: string; readonly entry_count: number } {
  const chars = memoryChars(entries);
  const percent = Math.min(100, Math.floor((chars / limit) * 100));
  return {
    usage: `${percent}% (${chars.toLocaleString('en-US')}/${limit.toLocaleString('en-US')} chars)`,
    entry_count: entries.length,
  };
}
