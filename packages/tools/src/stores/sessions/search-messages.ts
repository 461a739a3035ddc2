import type { DatabaseSync } from 'node:sqlite';
import { numberIn, textIn } from '../sqlite/row-field.ts';
import type { SessionHit, SessionQuery, SessionRole } from './session-store.ts';
import { isUnspaced, snippetOf } from './session-words.ts';

/** Messages that are read, newest first, where the index cannot be asked. */
const maxRead = 20_000;

/** What {@link searchMessages} looks for. */
export interface MessageSearch extends Omit<SessionQuery, 'text'> {
  readonly tenant: string;
  /** Folded words; at least one. */
  readonly words: readonly string[];
  readonly hasFullText: boolean;
}

/**
 * Finds the newest message of each session that holds all words: by the index where there is one. Where it cannot help, for
 * words of scripts without spaces alone and where there is none, the newest 20,000 messages of the tenant are read.
 */
export function searchMessages(database: DatabaseSync, search: MessageSearch): readonly SessionHit[] {
  const { excludedSession, limit, roles, tenant, words } = search;
  const fit = conditionOf(search);
  const rows = database
    .prepare(
      `SELECT name, role, content, at FROM (
        SELECT messages.id, sessions.name, messages.role, messages.content, messages.at,
          row_number() OVER (PARTITION BY messages.session ORDER BY messages.at DESC, messages.id DESC) AS place
        FROM messages JOIN sessions ON sessions.id = messages.session
        WHERE messages.tenant = ?
          AND messages.role IN (SELECT value FROM json_each(?))
          AND sessions.name IS NOT ?
          AND ${fit.sql}
      ) WHERE place = 1 ORDER BY at DESC, id DESC LIMIT ?`,
    )
    .iterate(tenant, JSON.stringify(roles ?? allRoles), excludedSession ?? null, ...fit.values, limit);
  return Array.from(rows, (row) => ({
    sessionId: textIn(row, 'name'),
    at: numberIn(row, 'at'),
    role: roleOf(textIn(row, 'role')),
    snippet: snippetOf(textIn(row, 'content'), words),
  }));
}

const allRoles: readonly SessionRole[] = ['system', 'user', 'assistant', 'tool'];

interface Condition {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

/** Which messages hold all words. Only how many conditions there are depends on the query; its text is always a value. */
function conditionOf({ hasFullText, tenant, words }: MessageSearch): Condition {
  const indexed = hasFullText ? words.filter((word) => !isUnspaced(word)) : [];
  const others = words.filter((word) => !indexed.includes(word));
  const limited: Condition =
    indexed.length > 0
      ? {
          sql: 'messages.id IN (SELECT rowid FROM message_words WHERE message_words MATCH ?)',
          values: [indexQuery(indexed)],
        }
      : {
          sql: 'messages.id IN (SELECT id FROM messages WHERE tenant = ? ORDER BY at DESC, id DESC LIMIT ?)',
          values: [tenant, maxRead],
        };
  return {
    sql: [limited.sql, ...others.map(() => "instr(' ' || messages.words, ?) > 0")].join(' AND '),
    values: [...limited.values, ...others.map((word) => (isUnspaced(word) ? word : ` ${word}`))],
  };
}

/** Each word as a quoted text, which the language of the index never reads as anything else, and as a beginning. */
function indexQuery(words: readonly string[]): string {
  return words.map((word) => `"${word.replaceAll('"', '""')}"*`).join(' AND ');
}

function roleOf(text: string): SessionRole {
  return allRoles.find((role) => role === text) ?? 'tool';
}
