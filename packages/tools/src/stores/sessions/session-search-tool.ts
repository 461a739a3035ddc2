import { toolFromOptions } from '../../define-tool.ts';
import type { Tool } from '../../tool.ts';
import { toolError } from '../../tool-result.ts';
import type { StoreOfCall, TenantOfCall } from '../store-access.ts';
import type { SessionRole, SessionStore } from './session-store.ts';
import { searchWords } from './session-words.ts';

interface SearchArguments {
  readonly query?: string;
  readonly role_filter?: string;
  readonly limit?: number;
}

/** What {@link createSessionSearchTool} takes. */
export interface SessionSearchToolOptions {
  readonly storeOf: StoreOfCall<SessionStore> | undefined;
  readonly tenantOf: TenantOfCall;
  /** The session that asks, which is left out. */
  readonly currentSession: string | undefined;
}

const roles: readonly SessionRole[] = ['system', 'user', 'assistant', 'tool'];

/** The tool `session_search`: finds what was said in earlier sessions. */
export function createSessionSearchTool({ currentSession, storeOf, tenantOf }: SessionSearchToolOptions): Tool {
  return toolFromOptions<SearchArguments>({
    name: 'session_search',
    toolset: 'session_search',
    sideEffect: 'none',
    isParallelSafe: true,
    description:
      'Find what was said in earlier sessions. With a query: the sessions that hold all its words, newest first. Without: the latest sessions.',
    parameters: {
      type: 'object',
      properties: {
        query: { type: 'string', maxLength: 1_000, description: 'Words, or beginnings of words; no operators' },
        role_filter: {
          type: 'string',
          maxLength: 100,
          description: 'Only what these said, separated by commas: user, assistant, tool, system',
        },
        limit: { type: 'integer', minimum: 1, maximum: 20, default: 5, description: 'Most sessions' },
      },
    },
    checkAvailability: () =>
      storeOf === undefined
        ? { isAvailable: false, reason: 'no store for sessions is configured' }
        : { isAvailable: true },
    async execute({ query = '', role_filter: roleFilter = '', limit = 5 }, context) {
      if (storeOf === undefined) return toolError('not_available', 'There are no sessions here.', { success: false });
      const { signal } = context;
      const store = storeOf(context);
      const tenant = tenantOf(context);
      if (query.trim() === '') {
        const sessions = await store.latest(tenant, { limit, excludedSession: currentSession, signal });
        const results = sessions.map(({ lastAt, messageCount, preview, sessionId, startedAt }) => ({
          session_id: sessionId,
          started_at: timeOf(startedAt),
          last_active: timeOf(lastAt),
          message_count: messageCount,
          preview,
        }));
        return { success: true, mode: 'recent', results, count: results.length };
      }
      if (searchWords(query).length === 0) {
        const message = 'The query holds no word: letters or digits are needed. Signs and operators mean nothing.';
        return toolError('invalid_args', message, { success: false });
      }
      const wanted = parseRoles(roleFilter);
      if (typeof wanted === 'string') return toolError('invalid_args', wanted, { success: false });
      const search = { text: query, roles: wanted, limit, excludedSession: currentSession };
      const hits = await store.search(tenant, search, { signal });
      const results = hits.map(({ at, role, sessionId, snippet }) => ({
        session_id: sessionId,
        time: timeOf(at),
        role,
        snippet,
      }));
      const none = 'Nothing was found. Try fewer words, or only their beginnings.';
      return {
        success: true,
        query,
        results,
        count: results.length,
        ...(results.length === 0 ? { message: none } : {}),
      };
    },
  });
}

/** The roles that a filter names, `undefined` for all, or what is wrong with it. */
function parseRoles(filter: string): readonly SessionRole[] | string | undefined {
  const names = filter
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');
  if (names.length === 0) return undefined;
  const known = roles.filter((role) => names.includes(role));
  const unknown = names.find((name) => !roles.some((role) => role === name));
  return unknown === undefined ? known : `role_filter names "${unknown}"; known are ${roles.join(', ')}.`;
}

/** Times that no date holds are told as they are. */
function timeOf(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString();
}
