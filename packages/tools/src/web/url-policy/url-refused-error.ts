import { isTalariaError, TalariaError } from '@talaria/core';

/** An address that may not be visited, or whose host cannot be found. The message says why and is fit for the model. */
export class UrlRefusedError extends TalariaError<'task.url-refused'> {
  /** `blocked`: the policy forbids it. `network`: no address of the host could be found. */
  readonly kind: 'blocked' | 'network';

  constructor(
    kind: 'blocked' | 'network',
    message: string,
    options: { readonly hint?: string | undefined; readonly cause?: unknown } = {},
  ) {
    super(message, { code: 'task.url-refused', ...options });
    this.kind = kind;
  }
}

/** Whether something thrown is a {@link UrlRefusedError}, from whichever copy of the package. */
export function isUrlRefusedError(error: unknown): error is UrlRefusedError {
  return isTalariaError(error) && error.code === 'task.url-refused';
}
