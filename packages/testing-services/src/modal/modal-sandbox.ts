import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, errorMessage, quoteShell, systemErrorCode } from '@talaria/core';
import type { SandboxRoot } from '../sandbox-root/sandbox-root.ts';
import { CallError } from './call-error.ts';
import type { ExecProgram } from './exec-program.ts';
import { startFileToolProgram } from './file-tool-program.ts';
import { fileToolsPath } from './file-tools.ts';
import { createModalExec, type ModalExec } from './modal-exec.ts';
import { createOutputSpool } from './output-spool.ts';
import { startProcessProgram } from './process-program.ts';
import type { ExecRequest } from './sandbox-request.ts';

/** How a sandbox ended, as it is told on the wire. */
export interface SandboxEnd {
  /** 1 success, 2 failure, 3 terminated, 4 lifetime over, 5 the machine failed. */
  readonly status: number;
  readonly exitcode: number;
  readonly exception: string;
}

/** What a sandbox is made of. */
export interface ModalSandboxOptions {
  readonly id: string;
  readonly taskId: string;
  readonly appId: string;
  /** Seconds since 1970; no two sandboxes have the same. */
  readonly createdAt: number;
  readonly root: SandboxRoot;
  /** Host folder for its spools. */
  readonly spoolFolder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Where its commands begin; made where it is missing. */
  readonly workdir: string;
  readonly clock: Clock;
  readonly maxReadBytes: number;
  /** 0 means none. */
  readonly idleTimeoutMs: number;
}

/** A sandbox of the double. */
export interface ModalSandbox {
  readonly id: string;
  readonly taskId: string;
  readonly appId: string;
  readonly createdAt: number;
  readonly root: SandboxRoot;
  name: string;
  tags: Readonly<Record<string, string>>;
  /** `undefined` while it runs. */
  readonly end: SandboxEnd | undefined;
  /** Resolves when it ended. */
  readonly ended: Promise<SandboxEnd>;
  /** Aborted when it ends; the reason is what pending calls are answered with. */
  readonly ending: AbortSignal;
  /** @throws CallError `NOT_FOUND` where it ends or has ended */
  assertRunning(): void;
  /** Starts a command, once per `exec_id`. */
  start(request: ExecRequest, variables: Readonly<Record<string, string>>): Promise<ModalExec>;
  /** @throws CallError `NOT_FOUND` */
  exec(execId: string): Promise<ModalExec>;
  /** Ends it, once, with all its processes; `reason` answers the pending calls. */
  finish(end: SandboxEnd, reason: CallError): Promise<void>;
}

/** Commands that ended are remembered so far. */
const maxEndedExecs = 500;

/** Starts a sandbox in its root. */
export function createModalSandbox(options: ModalSandboxOptions): ModalSandbox {
  const { id, root, clock } = options;
  const execs = new Map<string, Promise<ModalExec>>();
  const running = new Set<string>();
  const ending = new AbortController();
  const { promise: ended, resolve: resolveEnd } = Promise.withResolvers<SandboxEnd>();
  let end: SandboxEnd | undefined;
  let isOver = false;
  let cancelIdle = (): void => undefined;

  function assertRunning(): void {
    if (isOver) throw goneError(id);
  }

  /** A sandbox is idle while no command runs in it, however silent they are. */
  function watchIdle(): void {
    cancelIdle();
    if (options.idleTimeoutMs === 0 || running.size > 0 || isOver) return;
    cancelIdle = clock.schedule(options.idleTimeoutMs, () => {
      void finish({ status: 3, exitcode: 137, exception: '' }, goneError(id));
    });
  }

  async function finish(result: SandboxEnd, reason: CallError): Promise<void> {
    if (!isOver) {
      isOver = true;
      // Whoever hears of a cut stream and asks must hear of the end.
      end = result;
      cancelIdle();
      ending.abort(reason);
      await root.stop();
      for (const started of execs.values()) (await started.catch(() => undefined))?.[Symbol.dispose]();
      resolveEnd(result);
    }
    await ended;
  }

  async function open(request: ExecRequest, variables: Readonly<Record<string, string>>): Promise<ModalExec> {
    running.add(request.exec_id);
    watchIdle();
    const leave = (): void => {
      running.delete(request.exec_id);
      watchIdle();
    };
    try {
      const exec = await openExec(options, request, { ...options.environment, ...variables });
      const cancelTimeout = scheduleKill(clock, exec, request.timeout_secs);
      void exec.ended.then(cancelTimeout).then(leave);
      return exec;
    } catch (error) {
      leave();
      throw error;
    }
  }

  async function forgetOldest(): Promise<void> {
    for (const [execId, started] of execs) {
      if (execs.size - running.size <= maxEndedExecs) return;
      if (running.has(execId)) continue;
      execs.delete(execId);
      (await started.catch(() => undefined))?.[Symbol.dispose]();
    }
  }

  watchIdle();
  return {
    id,
    taskId: options.taskId,
    appId: options.appId,
    createdAt: options.createdAt,
    root,
    name: '',
    tags: {},
    get end() {
      return end;
    },
    ended,
    ending: ending.signal,
    assertRunning,
    async start(request, variables) {
      assertRunning();
      const started = execs.get(request.exec_id) ?? open(request, variables);
      execs.set(request.exec_id, started);
      void forgetOldest();
      return await started;
    },
    async exec(execId) {
      assertRunning();
      const started = execs.get(execId);
      if (!started) throw new CallError('NOT_FOUND', `No exec ${execId} in sandbox ${id}`);
      return await started;
    },
    finish,
  };
}

/** What calls are told about a sandbox that is no more. */
export function goneError(id: string): CallError {
  return new CallError('NOT_FOUND', `Sandbox ${id} has already finished`);
}

async function openExec(
  options: ModalSandboxOptions,
  request: ExecRequest,
  environment: Readonly<Record<string, string>>,
): Promise<ModalExec> {
  const { root } = options;
  const program: { current?: ExecProgram } = {};
  const spool = (name: string): ReturnType<typeof createOutputSpool> =>
    createOutputSpool({
      path: join(options.spoolFolder, `${options.taskId}.${request.exec_id}.${name}`),
      onRead: () => program.current?.resume(),
    });
  const [stdout, stderr] = [spool('out'), spool('err')];
  const output = {
    stdout: request.stdout_config === 0 ? null : stdout,
    stderr: request.stderr_config === 0 ? null : stderr,
  };
  if (output.stdout === null) stdout.end();
  if (output.stderr === null) stderr.end();
  const [file = '', argument = ''] = request.command_args;
  const words = request.pty_info?.enabled === true ? inTerminal(request.command_args) : request.command_args;
  try {
    program.current =
      file === fileToolsPath
        ? startFileToolProgram(root, argument, output, options.maxReadBytes)
        : await startProcessProgram(root, words, await placeOf(options, request, environment), output);
  } catch (error) {
    throw startError(error, request);
  }
  return createModalExec(request.exec_id, program.current, { stdout, stderr });
}

/** Gives a command a terminal of the size that the service gives, by util-linux's `script`. */
function inTerminal(words: readonly string[]): readonly string[] {
  const inside = `stty rows 24 cols 80; exec ${quoteShell(words)}`;
  return ['env', 'TERM=xterm-256color', 'SHELL=/bin/sh', 'script', '-qefc', inside, '/dev/null'];
}

async function placeOf(
  options: ModalSandboxOptions,
  request: ExecRequest,
  environment: Readonly<Record<string, string>>,
): Promise<{ cwd: string; environment: Readonly<Record<string, string>> }> {
  if (request.workdir !== '') return { cwd: request.workdir, environment };
  await mkdir(await options.root.resolve(options.workdir), { recursive: true });
  return { cwd: options.workdir, environment };
}

function startError(error: unknown, request: ExecRequest): unknown {
  if (error instanceof CallError) return error;
  if (systemErrorCode(error) === 'ESRCH') return new CallError('NOT_FOUND', `Task ${request.task_id} is gone`);
  if (systemErrorCode(error) === 'ENOENT') {
    return new CallError('INVALID_ARGUMENT', `The working directory ${request.workdir} does not exist`);
  }
  return new CallError('INTERNAL', `The command could not be started: ${errorMessage(error)}`);
}

function scheduleKill(clock: Clock, exec: ModalExec, timeoutSeconds: number): () => void {
  if (timeoutSeconds === 0) return () => undefined;
  return clock.schedule(timeoutSeconds * 1000, () => void exec.kill());
}
