import { createSemaphore, errorMessage, isJsonObject, type JsonObject, parseJson, type Semaphore } from '@talaria/core';
import type { SandboxHandle } from '@talaria/terminal-backends';
import { isSandboxLost } from '../sandbox-failure.ts';
import type { ToolCallContext, ToolErrorKind } from '../tool.ts';
import { replyText, type ScriptJob } from './script-job.ts';
import { maxRequestBytes } from './script-module.ts';
import { isScriptTool } from './script-stubs.ts';

/** How many calls of one script run at the same time, where they change nothing. */
const maxParallel = 4;
/** Those that may run beside others; the rest, which change files, run one after another. */
const readers: ReadonlySet<string> = new Set(['read_file', 'search_files', 'web_search', 'web_extract']);

/** Answers the calls of one script. */
export interface CallAnswerer {
  /** Takes a request: 32 hexadecimal digits that name it, then JSON. */
  take(request: Buffer): void;
  /** Calls that tools were asked for. */
  readonly callCount: number;
  /** Stops what still runs, and resolves when nothing does. Says whether there was something. */
  stop(): Promise<boolean>;
}

/** What {@link createCallAnswerer} needs. */
export interface CallAnswererOptions {
  readonly job: ScriptJob;
  readonly sandbox: SandboxHandle;
  readonly context: ToolCallContext;
  /** Told of a failure after which the script is not to go on. */
  readonly fail: (error: unknown) => void;
}

/** Creates it. Each reply is a file that appears at once; the script waits for it. */
export function createCallAnswerer({ job, sandbox, context, fail }: CallAnswererOptions): CallAnswerer {
  const stopping = new AbortController();
  const signal = AbortSignal.any([context.signal, stopping.signal]);
  const pending = new Set<Promise<void>>();
  const parallel = createSemaphore(maxParallel);
  const ordered = createSemaphore(1);
  let callCount = 0;

  async function answer(id: string, content: string): Promise<void> {
    const write = (text: string) =>
      sandbox.writeFile(`${job.folder}/replies/${id}`, replyText(text), { mode: 0o600, signal });
    try {
      await write(content);
    } catch (error) {
      if (signal.aborted || isSandboxLost(error)) throw error;
      context.logger.warn('code.reply-failed', { toolCallId: context.toolCallId, message: errorMessage(error) });
      await write(errorText('internal', `The result of ${content.length} characters could not be handed over.`));
    }
  }

  async function handle(id: string, body: Buffer): Promise<void> {
    const request = readRequest(body);
    if (typeof request === 'string') return await answer(id, request);
    if (callCount >= job.maxCalls) return await answer(id, job.limitReply);
    callCount += 1;
    const places: Semaphore = readers.has(request.tool) ? parallel : ordered;
    using _place = await places.acquire(signal);
    const { content } = await context.callTool(request.tool, request.args, { signal: stopping.signal });
    await answer(id, content);
  }

  return {
    take(request) {
      const id = request.toString('latin1', 0, 32);
      // Only the program that looks after the script writes here, or else the script harms itself.
      if (!/^[0-9a-f]{32}$/.test(id)) return;
      const work = handle(id, request.subarray(32)).catch((error: unknown) => {
        // What a script leaves unanswered is broken off with it.
        if (!stopping.signal.aborted || isSandboxLost(error)) fail(error);
      });
      pending.add(work);
      void work.then(() => pending.delete(work));
    },
    get callCount() {
      return callCount;
    },
    async stop() {
      const hadWork = pending.size > 0;
      stopping.abort(new Error('The script has ended'));
      await Promise.all(pending);
      return hadWork;
    },
  };
}

/** The call that a script asks for, or what it is told instead. */
function readRequest(body: Buffer): { readonly tool: string; readonly args: JsonObject } | string {
  const parsed = parseJson(body.toString('utf8'));
  if (!parsed.ok || !isJsonObject(parsed.value)) {
    return errorText('invalid_args', `The request is no JSON object of at most ${maxRequestBytes} bytes.`);
  }
  const { tool, args } = parsed.value;
  if (typeof tool !== 'string' || !isJsonObject(args)) {
    return errorText('invalid_args', 'The request names no tool, or its arguments are no object.');
  }
  if (!isScriptTool(tool)) return errorText('not_available', `${tool.slice(0, 100)} cannot be called from a script.`);
  const kept = Object.entries(args).filter(([name]) => tool !== 'terminal' || !terminalOnly.has(name));
  return { tool, args: Object.fromEntries(kept) };
}

/** What outlives the script is nothing that one may start. */
const terminalOnly: ReadonlySet<string> = new Set(['background', 'pty']);

function errorText(kind: ToolErrorKind, error: string): string {
  return JSON.stringify({ error, error_kind: kind });
}
