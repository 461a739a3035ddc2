import { truncateText } from '@talaria/core';

/** A message that a page wrote. */
export interface ConsoleMessage {
  /** `log`, `warning`, `error`, … */
  readonly type: string;
  readonly text: string;
  /** Address and line of the script, where known. */
  readonly source: string;
}

/** An error that no script caught. */
export interface ScriptError {
  readonly message: string;
  readonly source: string;
}

/** Messages and errors of pages, of which the last are kept. */
export interface ConsoleRecord {
  readonly messages: readonly ConsoleMessage[];
  readonly errors: readonly ScriptError[];
  /** How many came, kept or not. */
  readonly totalMessages: number;
  readonly totalErrors: number;
  clear(): void;
}

/** A {@link ConsoleRecord} that can be written. */
export interface ConsoleLog extends ConsoleRecord {
  addMessage(message: ConsoleMessage): void;
  addError(error: ScriptError): void;
}

/** Entries that are kept of each kind. */
const maxEntries = 100;
/** Longest text of an entry. */
const maxTextChars = 1_000;
/** Longest source of an entry. */
const maxSourceChars = 300;

/** Creates an empty record: of both kinds the last 100 entries are kept, each up to 1,000 characters. */
export function createConsoleLog(): ConsoleLog {
  const messages: ConsoleMessage[] = [];
  const errors: ScriptError[] = [];
  let totalMessages = 0;
  let totalErrors = 0;
  return {
    messages,
    errors,
    get totalMessages() {
      return totalMessages;
    },
    get totalErrors() {
      return totalErrors;
    },
    addMessage({ type, text, source }) {
      totalMessages += 1;
      messages.push({ type, text: truncateText(text, maxTextChars), source: truncateText(source, maxSourceChars) });
      if (messages.length > maxEntries) messages.shift();
    },
    addError({ message, source }) {
      totalErrors += 1;
      errors.push({ message: truncateText(message, maxTextChars), source: truncateText(source, maxSourceChars) });
      if (errors.length > maxEntries) errors.shift();
    },
    clear() {
      messages.length = 0;
      errors.length = 0;
      totalMessages = 0;
      totalErrors = 0;
    },
  };
}
