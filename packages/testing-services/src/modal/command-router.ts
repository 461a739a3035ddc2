import { CallError } from './call-error.ts';
import type { ImageStore } from './image-store.ts';
import type { ModalExec } from './modal-exec.ts';
import { type CallContext, type ModalMethods, stream, unary, upload } from './modal-method.ts';
import type { ModalSandbox } from './modal-sandbox.ts';
import type { SandboxRegistry } from './sandbox-registry.ts';
import type { ExecRequest } from './sandbox-request.ts';
import type { SecretStore } from './secret-store.ts';

/** What the methods of the router work on. */
export interface CommandRouter {
  readonly sandboxes: SandboxRegistry;
  readonly images: ImageStore;
  readonly secrets: SecretStore;
}

/** The methods of `modal.task_command_router.TaskCommandRouter`. */
export function createCommandRouterMethods(router: CommandRouter): ModalMethods {
  /** The exec that a call is about, and a signal for when the client or the sandbox goes away. */
  async function find(request: ByExec, context: CallContext): Promise<Found> {
    const sandbox = router.sandboxes.byTask(request.task_id);
    const exec = await sandbox.exec(request.exec_id);
    return { sandbox, exec, signal: AbortSignal.any([context.signal, sandbox.ending]) };
  }

  return {
    TaskExecStart: unary(async (request: ExecRequest) => {
      checkRequest(request);
      const sandbox = router.sandboxes.byTask(request.task_id);
      await untilEnd(sandbox, sandbox.start(request, router.secrets.variables(request.secret_sources)));
      return {};
    }),
    TaskExecStdioRead: stream(async function* read(request: StdioRead, context) {
      const { exec, signal } = await find(request, context);
      const spool = request.file_descriptor === 0 ? exec.stdout : exec.stderr;
      for await (const data of spool.read(request.offset, signal)) yield { data };
    }),
    TaskExecStdinWrite: unary(async (request: StdinWrite, context) => {
      const { sandbox, exec, signal } = await find(request, context);
      // An empty write that ends the input stands at no place of it.
      if (request.data.length > 0) await untilEnd(sandbox, exec.write(request.offset, request.data, signal));
      if (request.eof) await untilEnd(sandbox, exec.closeInput());
      return {};
    }),
    TaskExecStdinWriteStream: upload(async (requests: AsyncIterable<StdinPart>, context) => {
      let target: (Found & { offset: number }) | undefined;
      for await (const { start, data, end } of requests) {
        if (start) target = { ...(await find(start, context)), offset: start.offset };
        if (!target) throw new CallError('INVALID_ARGUMENT', 'The stream does not begin with its start');
        if (data) {
          await untilEnd(target.sandbox, target.exec.write(target.offset, data, target.signal));
          target.offset += data.length;
        }
        if (end) await untilEnd(target.sandbox, target.exec.closeInput());
      }
      return {};
    }),
    TaskExecStdinStatus: unary(async (request: ByExec, context) => {
      const { exec } = await find(request, context);
      await exec.evictWriters();
      return { num_bytes_written: exec.input.bytesWritten, closed: exec.input.isClosed };
    }),
    TaskExecWait: unary(async (request: ByExec, context) => {
      const { sandbox, exec } = await find(request, context);
      return await untilEnd(sandbox, exec.ended);
    }),
    TaskExecPoll: unary(async (request: ByExec, context) => (await find(request, context)).exec.end ?? {}),
    TaskSnapshotFilesystem: unary(async (request: SnapshotRequest) => {
      const sandbox = router.sandboxes.byTask(request.task_id);
      const from = router.images.get(router.sandboxes.imageIdOf(sandbox));
      const lifetimeMs = request.ttl_seconds > 0 ? request.ttl_seconds * 1000 : null;
      return { image_id: await router.images.snapshot(sandbox.root, from, request.snapshot_id, lifetimeMs) };
    }),
  };
}

interface Found {
  readonly sandbox: ModalSandbox;
  readonly exec: ModalExec;
  readonly signal: AbortSignal;
}

interface ByExec {
  readonly task_id: string;
  readonly exec_id: string;
}

interface StdioRead extends ByExec {
  readonly offset: number;
  /** 0 standard output, 1 standard error. */
  readonly file_descriptor: number;
}

interface StdinWrite extends ByExec {
  readonly offset: number;
  readonly data: Uint8Array;
  readonly eof: boolean;
}

interface StdinPart {
  readonly start?: (ByExec & { readonly offset: number }) | undefined;
  readonly data?: Uint8Array | undefined;
  readonly end?: object | undefined;
}

interface SnapshotRequest {
  readonly task_id: string;
  readonly snapshot_id: string;
  /** Negative for ever. */
  readonly ttl_seconds: number;
}

/** Bytes of arguments that the service takes. */
const maxArgumentBytes = 65_536;

function checkRequest(request: ExecRequest): void {
  const bytes = request.command_args.reduce((sum, argument) => sum + Buffer.byteLength(argument), 0);
  if (request.command_args.length === 0) throw new CallError('INVALID_ARGUMENT', 'There is no command');
  if (bytes >= maxArgumentBytes) throw new CallError('INVALID_ARGUMENT', `The command has ${bytes} bytes`);
  if (request.container_id !== '') throw new CallError('UNIMPLEMENTED', 'The double has no sidecars');
}

/** Waits for something in a sandbox, and no longer than that lives. */
async function untilEnd<Value>(sandbox: ModalSandbox, value: Promise<Value>): Promise<Value> {
  const { ending } = sandbox;
  const { promise, reject } = Promise.withResolvers<never>();
  const leave = (): void => reject(ending.reason);
  if (ending.aborted) leave();
  ending.addEventListener('abort', leave, { once: true });
  try {
    return await Promise.race([value, promise]);
  } finally {
    ending.removeEventListener('abort', leave);
  }
}
