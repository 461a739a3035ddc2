import type { StoreCallOptions } from '../store-options.ts';

/** Who said something. */
export type SessionRole = 'system' | 'user' | 'assistant' | 'tool';

/** One message of a session. */
export interface SessionMessage {
  readonly role: SessionRole;
  /** Stored up to {@link maxMessageChars}; the rest is left out. */
  readonly content: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Characters that are kept of one message. */
export const maxMessageChars = 1_000_000;

/** What is looked for. */
export interface SessionQuery {
  /**
   * Words that a message must hold, all of them: each at the start of a word, whatever the case and accents; in scripts
   * without spaces anywhere. Everything but letters and digits only separates. Without a word nothing is found.
   */
  readonly text: string;
  /** @default all */
  readonly roles?: readonly SessionRole[] | undefined;
  /** Most sessions. */
  readonly limit: number;
  /** A session that is left out, such as the present one. @default none */
  readonly excludedSession?: string | undefined;
}

/** The newest message of a session that fits a query. */
export interface SessionHit {
  readonly sessionId: string;
  readonly at: number;
  readonly role: SessionRole;
  /** The first words that fit and what is around them, at most about 300 characters. */
  readonly snippet: string;
}

/** A session in short. */
export interface SessionSummary {
  readonly sessionId: string;
  /** Time of its earliest message. */
  readonly startedAt: number;
  /** Time of its latest message. */
  readonly lastAt: number;
  readonly messageCount: number;
  /** How the first message of a user begins; `''` where there is none. */
  readonly preview: string;
}

/**
 * Keeps the messages of sessions, per tenant, and finds them again. What belongs to one tenant no other sees, though their
 * sessions may have the same ids. Text that is no Unicode, and NUL, come back as U+FFFD. Tenants and session ids that are no
 * plain text, and times that are no whole numbers, are refused with ConfigError `config.invalid`; a store that fails rejects
 * with StateError.
 */
export interface SessionStore extends AsyncDisposable {
  /** Adds messages to a session, which begins with the first: all of them or, where that fails, none. */
  append(
    tenant: string,
    sessionId: string,
    messages: readonly SessionMessage[],
    options?: StoreCallOptions,
  ): Promise<void>;
  /** The newest message of each session that fits, newest first. */
  search(tenant: string, query: SessionQuery, options?: StoreCallOptions): Promise<readonly SessionHit[]>;
  /** The sessions with the latest messages, latest first. */
  latest(
    tenant: string,
    options: StoreCallOptions & { readonly limit: number; readonly excludedSession?: string | undefined },
  ): Promise<readonly SessionSummary[]>;
}
