import { status } from '@grpc/grpc-js';

/** A status other than OK, by its name in gRPC. */
export type ModalStatus = Exclude<keyof typeof status, 'OK'>;

/** Answers a call with a status. */
export class CallError extends Error {
  readonly status: ModalStatus;
  /** When the server says to come again; the SDK waits so long by itself. */
  readonly retryAfterSeconds: number | undefined;

  constructor(name: ModalStatus, message: string, retryAfterSeconds?: number) {
    super(message);
    this.name = 'CallError';
    this.status = name;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** Its number in gRPC. */
  get code(): status {
    return status[this.status];
  }
}

/** What to answer a call with whose handler threw this. */
export function toCallError(error: unknown): CallError {
  return error instanceof CallError ? error : new CallError('INTERNAL', `The double failed: ${String(error)}`);
}
