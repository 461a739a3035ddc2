import type { Secret } from '@talaria/core';

/** What the explanation of a problem depends on. */
export interface ProblemContext {
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey: Secret | null;
  /** How many times the request has been sent. */
  readonly attempts: number;
  readonly requestId: string | null;
  /** Whether the caller has already been given a piece of the answer. */
  readonly hasGivenOut: boolean;
}

/** What is told of a problem, before the context is added. */
export interface Explanation {
  readonly code: `model.${string}`;
  readonly message: string;
  readonly hint: string;
  readonly retryable: boolean;
  readonly status?: number | undefined;
  readonly bodyText?: string | undefined;
  readonly cause?: unknown;
}
