import type { DatabaseSync } from 'node:sqlite';
import { numberIn, textIn } from '../sqlite/row-field.ts';
import { openStoreDatabase } from '../sqlite/store-database.ts';
import { checkStoreKey } from '../store-key.ts';
import type { SqliteStoreOptions } from '../store-options.ts';
import { checkLimit, storedMessages } from './check-messages.ts';
import { searchMessages } from './search-messages.ts';
import type { SessionMessage, SessionStore, SessionSummary } from './session-store.ts';
import { ensureFullText, sessionSchema } from './session-tables.ts';
import { beginningOf, searchWords, wordsOf } from './session-words.ts';

/** Characters of a preview. */
const previewChars = 200;

/** What {@link openSqliteSessionStore} takes. */
export interface SqliteSessionStoreOptions extends SqliteStoreOptions {
  /** Whether searches use the full-text index of SQLite, where it is compiled in. @default true */
  readonly fullText?: boolean | undefined;
}

/**
 * Opens a {@link SessionStore} in a file of SQLite, which several processes may use at the same time.
 * @throws ConfigError `config.invalid`, `config.missing-sqlite`; StateError `state.*`
 */
export async function openSqliteSessionStore(options: SqliteSessionStoreOptions): Promise<SessionStore> {
  const { fullText = true, ...fileOptions } = options;
  const store = await openStoreDatabase(fileOptions, sessionSchema);
  const hasFullText = fullText && (await store.write(ensureFullText));
  return {
    async append(tenant, sessionId, messages, { signal } = {}) {
      checkStoreKey('tenant', tenant);
      const added = storedMessages(sessionId, messages);
      if (added.length === 0) return;
      await store.write((database) => insertMessages(database, { tenant, sessionId, messages: added }), signal);
    },
    async search(tenant, { text, ...query }, { signal } = {}) {
      checkStoreKey('tenant', tenant);
      checkLimit(query.limit);
      signal?.throwIfAborted();
      const words = searchWords(text);
      if (words.length === 0) return [];
      return store.read((database) => searchMessages(database, { ...query, tenant, words, hasFullText }), signal);
    },
    async latest(tenant, { excludedSession, limit, signal }) {
      checkStoreKey('tenant', tenant);
      checkLimit(limit);
      return store.read((database) => readLatest(database, { tenant, excludedSession, limit }), signal);
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

function insertMessages(
  database: DatabaseSync,
  added: { readonly tenant: string; readonly sessionId: string; readonly messages: readonly SessionMessage[] },
): void {
  const { messages, sessionId, tenant } = added;
  const times = messages.map(({ at }) => at);
  const preview = beginningOf(messages.find(({ role }) => role === 'user')?.content ?? '', previewChars);
  const session = database
    .prepare(
      `INSERT INTO sessions (tenant, name, started_at, last_at, message_count, preview) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (tenant, name) DO UPDATE SET
        started_at = min(started_at, excluded.started_at),
        last_at = max(last_at, excluded.last_at),
        message_count = message_count + excluded.message_count,
        preview = CASE preview WHEN '' THEN excluded.preview ELSE preview END
      RETURNING id`,
    )
    .get(
      tenant,
      sessionId,
      times.reduce((left, right) => Math.min(left, right)),
      times.reduce((left, right) => Math.max(left, right)),
      messages.length,
      preview,
    );
  const id = numberIn(session ?? {}, 'id');
  const insert = database.prepare(
    'INSERT INTO messages (tenant, session, role, content, words, at) VALUES (?, ?, ?, ?, ?, ?)',
  );
  for (const { at, content, role } of messages) {
    insert.run(tenant, id, role, content, wordsOf(content).join(' '), at);
  }
}

function readLatest(
  database: DatabaseSync,
  wanted: { readonly tenant: string; readonly excludedSession: string | undefined; readonly limit: number },
): readonly SessionSummary[] {
  const rows = database
    .prepare(
      `SELECT name, started_at, last_at, message_count, preview FROM sessions
      WHERE tenant = ? AND name IS NOT ? ORDER BY last_at DESC, id DESC LIMIT ?`,
    )
    .iterate(wanted.tenant, wanted.excludedSession ?? null, wanted.limit);
  return Array.from(rows, (row) => ({
    sessionId: textIn(row, 'name'),
    startedAt: numberIn(row, 'started_at'),
    lastAt: numberIn(row, 'last_at'),
    messageCount: numberIn(row, 'message_count'),
    preview: textIn(row, 'preview'),
  }));
}
