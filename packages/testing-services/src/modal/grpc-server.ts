import { once } from 'node:events';
import {
  Metadata,
  type MethodDefinition,
  Server,
  ServerCredentials,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type UntypedHandleCall,
} from '@grpc/grpc-js';
import type protobuf from 'protobufjs';
import { type CallError, toCallError } from './call-error.ts';
import type { CallGate } from './call-gate.ts';
import type {
  CallContext,
  ModalMethod,
  ModalMethods,
  StreamMethod,
  UnaryMethod,
  UploadMethod,
} from './modal-method.ts';

/** A gRPC server on loopback, without encryption. Disposing breaks every connection. */
export interface GrpcServer extends AsyncDisposable {
  readonly port: number;
}

/** Starts it. The services are named in full, as are the methods of the protocol that they serve. */
export async function startGrpcServer(
  protocol: protobuf.Root,
  services: Readonly<Record<string, ModalMethods>>,
  gate: CallGate,
): Promise<GrpcServer> {
  const server = new Server({
    'grpc.max_receive_message_length': -1,
    'grpc.max_send_message_length': -1,
    // What a client may send ahead of a program that reads slowly.
    'grpc-node.flow_control_window': 4 * 1024 * 1024,
  });
  for (const [name, methods] of Object.entries(services)) {
    const service = protocol.lookupService(name);
    const definitions: Record<string, MethodDefinition<object, object>> = {};
    const handlers: Record<string, UntypedHandleCall> = {};
    for (const [methodName, method] of Object.entries(methods)) {
      const rpc = service.methods[methodName];
      if (!rpc) throw new Error(`The protocol has no method ${methodName} in ${name}`);
      definitions[methodName] = defineMethod(`/${name}/${methodName}`, rpc);
      handlers[methodName] = createHandler(protocol, methodName, method, gate);
    }
    server.addService(definitions, handlers);
  }
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => {
      if (error) reject(error);
      else resolve(bound);
    });
  });
  return {
    port,
    [Symbol.asyncDispose]() {
      server.forceShutdown();
      return Promise.resolve();
    },
  };
}

function defineMethod(path: string, rpc: protobuf.Method): MethodDefinition<object, object> {
  const request = typeOf(rpc.resolvedRequestType, rpc);
  const response = typeOf(rpc.resolvedResponseType, rpc);
  return {
    path,
    requestStream: rpc.requestStream === true,
    responseStream: rpc.responseStream === true,
    requestSerialize: (message) => encode(request, message),
    requestDeserialize: (bytes) =>
      request.toObject(request.decode(bytes), { longs: Number, defaults: true, arrays: true }),
    responseSerialize: (message) => encode(response, message),
    responseDeserialize: (bytes) => response.toObject(response.decode(bytes)),
  };
}

function typeOf(type: protobuf.Type | null, rpc: protobuf.Method): protobuf.Type {
  if (!type) throw new Error(`The protocol does not say what ${rpc.name} carries`);
  return type;
}

function encode(type: protobuf.Type, message: object): Buffer {
  return Buffer.from(type.encode(message).finish());
}

function createHandler(protocol: protobuf.Root, name: string, method: ModalMethod, gate: CallGate): UntypedHandleCall {
  const describe = (error: unknown): CallStatus => toStatus(protocol, toCallError(error));
  switch (method.kind) {
    case 'unary':
      return (call: ServerUnaryCall<object, object>, callback: UnaryCallback) => {
        gate
          .unary(name, call.request, contextOf(call), (context) => answer(method, call.request, context))
          .then(
            (message) => callback(null, message),
            (error: unknown) => callback(describe(error)),
          );
      };
    case 'stream':
      return (call: ServerWritableStream<object, object>) => {
        void sendAll(method, name, call, gate).then(
          () => call.end(),
          (error: unknown) => call.emit('error', describe(error)),
        );
      };
    case 'upload':
      return (call: ServerReadableStream<object, object>, callback: UnaryCallback) => {
        gate
          .upload(name, call, contextOf(call), (requests, context) => receive(method, requests, context))
          .then(
            (message) => callback(null, message),
            (error: unknown) => callback(describe(error)),
          );
      };
  }
}

type UnaryCallback = (error: CallStatus | null, message?: object) => void;

// The protocol has checked the shape of a request, and the method was written for just that.
async function answer(method: UnaryMethod, request: object, context: CallContext): Promise<object> {
  return await method.run(request as never, context);
}

async function receive(method: UploadMethod, requests: AsyncIterable<object>, context: CallContext): Promise<object> {
  return await method.run(requests as AsyncIterable<never>, context);
}

async function sendAll(
  method: StreamMethod,
  name: string,
  call: ServerWritableStream<object, object>,
  gate: CallGate,
): Promise<void> {
  const context = contextOf(call);
  const messages = gate.stream(name, call.request, context, (inner) => method.run(call.request as never, inner));
  for await (const message of messages) {
    // Nothing is read from a process that the client has no room for.
    if (!call.write(message)) await once(call, 'drain', { signal: context.signal });
  }
}

function contextOf(call: {
  readonly metadata: Metadata;
  once(event: 'cancelled', listener: () => void): unknown;
}): CallContext {
  const gone = new AbortController();
  call.once('cancelled', () => gone.abort());
  return { metadata: call.metadata, signal: gone.signal };
}

interface CallStatus {
  readonly code: number;
  readonly details: string;
  readonly metadata: Metadata;
}

function toStatus(protocol: protobuf.Root, error: CallError): CallStatus {
  const metadata = new Metadata();
  if (error.retryAfterSeconds !== undefined) {
    const policy = encode(protocol.lookupType('modal.client.RetryPolicy'), {
      retry_after_secs: error.retryAfterSeconds,
    });
    const details = [{ type_url: 'type.googleapis.com/modal.client.RPCRetryPolicy', value: policy }];
    const whole = { code: error.code, message: error.message, details };
    metadata.set('grpc-status-details-bin', encode(protocol.lookupType('modal.client.StatusDetails'), whole));
  }
  return { code: error.code, details: error.message, metadata };
}
