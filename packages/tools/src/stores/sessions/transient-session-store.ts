import { checkStoreKey } from '../store-key.ts';
import { checkLimit, storedMessages } from './check-messages.ts';
import type { SessionHit, SessionMessage, SessionStore, SessionSummary } from './session-store.ts';
import { beginningOf, holdsWords, searchWords, snippetOf } from './session-words.ts';

/** Characters of a preview. */
const previewChars = 200;

/** A {@link SessionStore} that ends with the process: for tests, and for programs that keep nothing. */
export function createTransientSessionStore(): SessionStore {
  const tenants = new Map<string, Map<string, SessionMessage[]>>();
  const sessionsOf = (tenant: string): ReadonlyMap<string, readonly SessionMessage[]> => {
    checkStoreKey('tenant', tenant);
    return tenants.get(tenant) ?? new Map();
  };
  return {
    async append(tenant, sessionId, messages, { signal } = {}) {
      checkStoreKey('tenant', tenant);
      const added = storedMessages(sessionId, messages);
      signal?.throwIfAborted();
      if (added.length === 0) return;
      const sessions = tenants.get(tenant) ?? new Map<string, SessionMessage[]>();
      tenants.set(tenant, sessions);
      sessions.set(sessionId, [...(sessions.get(sessionId) ?? []), ...added]);
    },
    async search(tenant, { excludedSession, limit, roles, text }, { signal } = {}) {
      const sessions = sessionsOf(tenant);
      checkLimit(limit);
      signal?.throwIfAborted();
      const words = searchWords(text);
      if (words.length === 0) return [];
      const hits: SessionHit[] = [];
      for (const [sessionId, messages] of sessions) {
        if (sessionId === excludedSession) continue;
        const hit = newestFirst(messages).find(
          ({ content, role }) => (roles?.includes(role) ?? true) && holdsWords(content, words),
        );
        if (hit === undefined) continue;
        hits.push({ sessionId, at: hit.at, role: hit.role, snippet: snippetOf(hit.content, words) });
      }
      return hits.sort((left, right) => right.at - left.at).slice(0, limit);
    },
    async latest(tenant, { excludedSession, limit, signal }) {
      const sessions = sessionsOf(tenant);
      checkLimit(limit);
      signal?.throwIfAborted();
      return [...sessions]
        .filter(([sessionId]) => sessionId !== excludedSession)
        .map(([sessionId, messages]) => summarize(sessionId, messages))
        .sort((left, right) => right.lastAt - left.lastAt)
        .slice(0, limit);
    },
    async [Symbol.asyncDispose]() {
      tenants.clear();
    },
  };
}

/** By time; of two with the same the one that was added later. */
function newestFirst(messages: readonly SessionMessage[]): readonly SessionMessage[] {
  return messages.toReversed().sort((left, right) => right.at - left.at);
}

function summarize(sessionId: string, messages: readonly SessionMessage[]): SessionSummary {
  const times = messages.map(({ at }) => at);
  const first = messages.find(({ role }) => role === 'user');
  return {
    sessionId,
    startedAt: times.reduce((left, right) => Math.min(left, right)),
    lastAt: times.reduce((left, right) => Math.max(left, right)),
    messageCount: messages.length,
    preview: beginningOf(first?.content ?? '', previewChars),
  };
}
