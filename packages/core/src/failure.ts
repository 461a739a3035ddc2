import { errorMessage, isTalariaError } from './errors.ts';

/** Where in a rollout something failed. */
export type FailureBoundary = 'model' | 'parse' | 'tool' | 'sandbox' | 'timeout' | 'budget' | 'grader' | 'framework';

/** A failure as it is stored in records: plain data, the same shape everywhere. */
export interface Failure {
  readonly boundary: FailureBoundary;
  /** Stable `<boundary>.<what>`. */
  readonly code: string;
  /** Whether another attempt may succeed: an infrastructure failure, not the model's. */
  readonly retryable: boolean;
  readonly message: string;
}

/** Describes anything that was thrown as a {@link Failure}; `boundary` says who called. */
export function toFailure(error: unknown, boundary: FailureBoundary): Failure {
  if (isTalariaError(error)) {
    return {
      boundary: boundaryOfCode(error.code) ?? boundary,
      code: error.code,
      retryable: error.retryable,
      message: error.message,
    };
  }
  return { boundary, code: `${boundary}.unexpected`, retryable: false, message: errorMessage(error) };
}

function boundaryOfCode(code: string): FailureBoundary | undefined {
  if (code.startsWith('model.')) return 'model';
  if (code.startsWith('sandbox.')) return 'sandbox';
  return undefined;
}
