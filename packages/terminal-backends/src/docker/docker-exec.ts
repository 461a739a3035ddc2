import { Writable } from 'node:stream';
import { type Clock, isAbortOf, raceAbort } from '@talaria/core';
import type Dockerode from 'dockerode';
import { remoteError } from '../remote/remote-error.ts';
import type { TransportProcess, TransportRequest } from '../remote/transport.ts';
import { dockerError, isMissing } from './docker-error.ts';
import { type ExecFacts, readExecFacts } from './exec-facts.ts';
import { type ExecWatch, watchExec } from './exec-watch.ts';
import { type SplitOutput, splitOutput } from './split-output.ts';

type Connection = Awaited<ReturnType<Dockerode.Exec['start']>>;

/** Rows and columns of a terminal. */
const terminalSize = { h: 30, w: 120 };
const endOfTransmission = '\u0004';
const inspectAttempts = 3;
const inspectPauseMs = 100;

/**
 * Starts a process in a container and waits until it runs: two requests, and a third one for each time that the engine is
 * asked about it. @throws SandboxError, or what the client throws
 */
export async function startExec(
  container: Dockerode.Container,
  request: TransportRequest,
  { clock, user }: { readonly clock: Clock; readonly user: string | undefined },
): Promise<TransportProcess> {
  const { words, hasStdin = false, pty = false, signal, onStart } = request;
  signal?.throwIfAborted();
  const exec = await container.exec({
    Cmd: [...words],
    AttachStdin: hasStdin,
    AttachStdout: true,
    AttachStderr: true,
    Tty: pty,
    WorkingDir: '/',
    ...(user === undefined ? {} : { User: user }),
    ...(signal === undefined ? {} : { abortSignal: signal }),
  });
  signal?.throwIfAborted();
  onStart?.();
  const connection = await connect(exec, { hijack: true, stdin: hasStdin, Tty: pty }, signal);
  if ('setNoDelay' in connection && typeof connection.setNoDelay === 'function') connection.setNoDelay(true);
  const output = splitOutput(connection, { isTerminal: pty, clock });
  const released = Promise.withResolvers<void>();
  function close(): void {
    released.resolve();
    connection.destroy();
  }
  const watch = watchExec({
    inspect: () => inspectExec(exec, clock),
    stirred: output.stirred,
    ended: output.ended,
    released: released.promise,
    clock,
  });
  try {
    await confirmStart(watch, output, words, signal);
    if (pty) await exec.resize(terminalSize).catch(() => undefined);
  } catch (error) {
    close();
    throw error;
  }
  return {
    stdin: hasStdin ? createInput(connection, pty) : null,
    stdout: output.stdout,
    stderr: output.stderr,
    exited: watch.exited,
    discardOutput: output.discard,
    close,
  };
}

/** Starts an exec. A start that is aborted is broken off; once it has come about, the signal has no say any more. */
async function connect(
  exec: Dockerode.Exec,
  options: Dockerode.ExecStartOptions,
  signal: AbortSignal | undefined,
): Promise<Connection> {
  const breaking = new AbortController();
  try {
    return await raceAbort(exec.start({ ...options, abortSignal: breaking.signal }), signal);
  } catch (error) {
    if (isAbortOf(error, signal)) breaking.abort(error);
    throw error;
  }
}

/** A terminal has no end of input but the character that stands for it. */
function createInput(connection: Connection, isTerminal: boolean): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      connection.write(chunk, done);
    },
    final(done) {
      if (isTerminal) connection.write(endOfTransmission, done);
      else connection.end(done);
    },
  });
}

/** Asks about an exec; a busy or restarting engine gets some more chances. */
async function inspectExec(exec: Dockerode.Exec, clock: Clock): Promise<ExecFacts | null> {
  for (let attempt = 1; attempt <= inspectAttempts; attempt += 1) {
    try {
      return readExecFacts(await exec.inspect());
    } catch (error) {
      if (isMissing(error)) return null;
      await clock.sleep(inspectPauseMs, { isBackground: true });
    }
  }
  return null;
}

/** What the engines write in the place of output where a program cannot be started. */
const startFailure = /OCI runtime|exec failed|cannot exec|unable to start container process/i;
/** The same where any program may have written it, since the engine tells the number of none that has ended. */
const surelyStartFailure = /^Error: .*: OCI (?:runtime|permission)/;
const startFailureCodes: ReadonlySet<number | null> = new Set([125, 126, 127]);
const missingProgram = /executable file not found|no such file or directory|not found in \$PATH/i;

async function confirmStart(
  watch: ExecWatch,
  output: SplitOutput,
  words: readonly string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const facts = await raceAbort(watch.started, signal);
  if (facts === null) {
    throw dockerError(
      'The container ended while a process was being started in it',
      { phase: 'exec', started: true },
      {
        code: 'sandbox.lost',
        hint: 'Find out what ended it (docker events, dmesg), and start again with a new sandbox.',
      },
    );
  }
  const mayBeFailure = facts.pid === 0 || (facts.pid === null && startFailureCodes.has(facts.exitCode));
  if (!mayBeFailure) return;
  await raceAbort(output.ended, signal);
  const complaint = output.opening().trim();
  if (!(facts.pid === 0 ? startFailure : surelyStartFailure).test(complaint)) return;
  const isMissingProgram = missingProgram.test(complaint);
  throw remoteError('docker', `Docker cannot start ${words[0]}: ${complaint}`, {
    code: isMissingProgram ? 'sandbox.missing-program' : 'sandbox.failed',
    phase: 'exec',
    started: false,
    retryable: !isMissingProgram,
    hint: isMissingProgram
      ? 'Use an image that has it.'
      : 'The container may have no processes left (its pids limit), or no memory.',
  });
}
