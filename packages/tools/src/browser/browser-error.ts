import { TalariaError } from '@talaria/core';
import type { ToolErrorKind } from '../tool.ts';

/** What a {@link BrowserError} may say beside its message. */
export interface BrowserErrorOptions {
  /** For whoever configured the driver; not for the model. */
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}

/** A step of a browser that failed. The message says what and what to do next, and is fit for the model. */
export class BrowserError extends TalariaError<'task.browser-failed'> {
  readonly kind: ToolErrorKind;

  constructor(kind: ToolErrorKind, message: string, options: BrowserErrorOptions = {}) {
    super(message, { code: 'task.browser-failed', ...options });
    this.kind = kind;
  }
}

/** The element of a ref is gone. */
export function staleRef(ref: string): BrowserError {
  return new BrowserError(
    'not_found',
    `No element has the ref @${ref} any more. Take a new snapshot with browser_snapshot and use a ref of it.`,
  );
}

/** Nothing comes before the page that is shown. */
export function noEarlierPage(): BrowserError {
  return new BrowserError('not_found', 'There is no earlier page to go back to.');
}
