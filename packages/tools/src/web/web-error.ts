import { isTalariaError, TalariaError } from '@talaria/core';
import type { ToolErrorKind } from '../tool.ts';

/** What kept a search or a page from being read, as the model sees it in `error_kind`. */
export type WebErrorKind = Extract<
  ToolErrorKind,
  'network' | 'timeout' | 'not_found' | 'permission' | 'not_available' | 'too_large'
>;

/** What a {@link WebError} may say beside its message. */
export interface WebErrorOptions {
  /** HTTP status, where there was an answer. */
  readonly status?: number | undefined;
  /** Media type of the answer, where it had one. */
  readonly contentType?: string | undefined;
  /** The same request may succeed later. @default false */
  readonly retryable?: boolean | undefined;
  /** For whoever configured the provider; not for the model. */
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}

/** A search or a page that failed. The message says why, is fit for the model and holds no key. */
export class WebError extends TalariaError<'task.web-failed'> {
  readonly kind: WebErrorKind;
  readonly status: number | undefined;
  readonly contentType: string | undefined;

  constructor(kind: WebErrorKind, message: string, options: WebErrorOptions = {}) {
    const { status, contentType, ...rest } = options;
    super(message, { code: 'task.web-failed', ...rest });
    this.kind = kind;
    this.status = status;
    this.contentType = contentType;
  }
}

/** Whether something thrown is a {@link WebError}, from whichever copy of the package. */
export function isWebError(error: unknown): error is WebError {
  return isTalariaError(error) && error.code === 'task.web-failed';
}

/** What an HTTP status of 300 or more means for whoever asked. */
export function kindOfStatus(status: number): WebErrorKind {
  if (status === 404 || status === 410) return 'not_found';
  if (status === 401 || status === 402 || status === 403 || status === 407 || status === 451) return 'permission';
  if (status === 413) return 'too_large';
  return 'network';
}

/** Whether the same request may succeed later. */
export function isPassingStatus(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}
