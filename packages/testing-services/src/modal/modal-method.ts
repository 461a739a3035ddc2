import type { Metadata } from '@grpc/grpc-js';

/** What a method knows of a call beside its request. */
export interface CallContext {
  readonly metadata: Metadata;
  /** Aborted when the client goes away or its deadline passes. */
  readonly signal: AbortSignal;
}

/** One request, one answer. */
export interface UnaryMethod {
  readonly kind: 'unary';
  readonly run: (request: never, context: CallContext) => object | Promise<object>;
}

/** One request, many answers. */
export interface StreamMethod {
  readonly kind: 'stream';
  readonly run: (request: never, context: CallContext) => AsyncIterable<object>;
}

/** Many requests, one answer. */
export interface UploadMethod {
  readonly kind: 'upload';
  readonly run: (requests: AsyncIterable<never>, context: CallContext) => Promise<object>;
}

/** What the double does in answer to a call. */
export type ModalMethod = UnaryMethod | StreamMethod | UploadMethod;

/** The methods of a service by name. */
export type ModalMethods = Readonly<Record<string, ModalMethod>>;

/** A method that answers with one message. The protocol fixes the shape of its request. */
export function unary<Request>(run: (request: Request, context: CallContext) => object | Promise<object>): UnaryMethod {
  return { kind: 'unary', run };
}

/** A method that answers with a stream. */
export function stream<Request>(run: (request: Request, context: CallContext) => AsyncIterable<object>): StreamMethod {
  return { kind: 'stream', run };
}

/** A method that is asked with a stream. */
export function upload<Request>(
  run: (requests: AsyncIterable<Request>, context: CallContext) => Promise<object>,
): UploadMethod {
  return { kind: 'upload', run };
}
