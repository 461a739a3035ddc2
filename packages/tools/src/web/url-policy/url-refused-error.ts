import { TalariaError } from '@talaria/core';

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
