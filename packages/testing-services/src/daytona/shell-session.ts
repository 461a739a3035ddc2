import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type FileHandle, mkdir, open, rm, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { quoteShell } from '@talaria/core';
import type { RootProcess, SandboxRoot } from '../sandbox-root/sandbox-root.ts';
import { daemonError } from './answer.ts';
import { createLineLabeler, stderrMark, stdoutMark } from './label-lines.ts';

/** Where a session runs. */
export interface SessionPlace {
  readonly root: SandboxRoot;
  /** The shell that keeps the state. */
  readonly shell: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Folder for what the commands leave, as the sandbox knows it. */
  readonly folder: string;
}

/** A command of a session. */
export interface SessionCommand {
  readonly id: string;
  readonly command: string;
  /** Lines of both streams, each with its mark before it. */
  readonly log: Buffer;
  /** `undefined` while it runs, and for ever where it ended the shell. */
  readonly exitCode: number | undefined;
  /** Resolves when it ended and the log is complete, or the session is over. */
  readonly done: Promise<void>;
  /** Hears of each new piece of the log; call the result to stop. */
  onLog(listener: (bytes: Buffer) => void): () => void;
  /** Writes to its standard input; a missing end of line is added, and the text appears in the log. */
  sendInput(text: string): Promise<void>;
}

/** A shell that runs commands one after another and keeps its state. */
export interface ShellSession {
  readonly id: string;
  readonly commands: ReadonlyMap<string, SessionCommand>;
  /** Resolves when the shell ended. */
  readonly ended: Promise<void>;
  /** Starts a command; standard input stays open only where it `isAsync`. */
  execute(command: string, isAsync: boolean): Promise<SessionCommand>;
  /** Ends the shell and its group; what left the group lives on. */
  close(): Promise<void>;
}

/** Starts a session. */
export async function openShellSession(id: string, place: SessionPlace): Promise<ShellSession> {
  const { root, shell, cwd, env } = place;
  const started = await root.spawn([shell], { cwd, env, mergeStderr: true });
  const commands = new Map<string, SessionCommand>();
  const exits = new Map<string, (exitCode: number) => void>();
  const ended = started.exited.then(() => {});
  // The shell's own output belongs to nobody but us: each command says there how it ended.
  createInterface({ input: started.stdout }).on('line', (line) => {
    const [commandId = '', code] = line.split(' ');
    exits.get(commandId)?.(Number(code));
  });
  started.stderr.resume();
  return {
    id,
    commands,
    ended,
    async execute(command, isAsync) {
      const commandId = randomUUID();
      const exit = new Promise<number>((resolve) => exits.set(commandId, resolve));
      const made = await startCommand({ id: commandId, command, isAsync, shell: started, exit, ended, place });
      commands.set(commandId, made);
      return made;
    },
    async close() {
      await started.signal('SIGKILL');
      await ended;
    },
  };
}

interface CommandStart {
  readonly id: string;
  readonly command: string;
  readonly isAsync: boolean;
  readonly shell: RootProcess;
  readonly exit: Promise<number>;
  readonly ended: Promise<void>;
  readonly place: SessionPlace;
}

async function startCommand(start: CommandStart): Promise<SessionCommand> {
  const { id, command, isAsync, place, ended } = start;
  const folder = `${place.folder}/${id}`;
  const hostFolder = await place.root.resolve(folder);
  await mkdir(hostFolder, { recursive: true });
  await writeFile(`${hostFolder}/command`, `${command.trim()}\n`, { mode: 0o600 });
  await makePipes(place, folder);
  // Open for both directions, so that nobody waits for the other end, and the command sees no end of input.
  const input = isAsync ? await open(`${hostFolder}/stdin`, 'r+') : null;
  const log = createCommandLog();
  const readers = await Promise.all([
    readPipe(place, `${folder}/stdout`, stdoutMark, log.append),
    readPipe(place, `${folder}/stderr`, stderrMark, log.append),
  ]);
  let exitCode: number | undefined;
  const finished = Promise.all([start.exit, ...readers.map((reader) => reader.closed)]).then(([code]) => {
    exitCode = code;
  });
  const done = Promise.race([finished, ended]).then(async () => {
    // A command that never began leaves readers that wait for it.
    if (exitCode === undefined) await Promise.all(readers.map((reader) => reader.program.signal('SIGKILL')));
    await input?.close();
    await rm(hostFolder, { recursive: true, force: true });
  });
  start.shell.stdin.write(invocation(folder, id, isAsync));
  return {
    id,
    command,
    get log() {
      return log.bytes();
    },
    get exitCode() {
      return exitCode;
    },
    done,
    onLog: log.listen,
    sendInput: (text) => send(input, text, exitCode, log.append),
  };
}

/** The line for the session's shell: it runs the file itself, so that its state is what the command leaves. */
function invocation(folder: string, id: string, isAsync: boolean): string {
  const [command, stdin, stdout, stderr] = ['command', isAsync ? 'stdin' : null, 'stdout', 'stderr'].map((name) =>
    quoteShell([name === null ? '/dev/null' : `${folder}/${name}`]),
  );
  return `{ . ${command}; } <${stdin} >${stdout} 2>${stderr}; echo "${id} $?"\n`;
}

async function makePipes(place: SessionPlace, folder: string): Promise<void> {
  const names = ['stdin', 'stdout', 'stderr'].map((name) => `${folder}/${name}`);
  const made = await place.root.spawn(['mkfifo', ...names], { env: place.env });
  if ((await made.exited) !== 0) throw daemonError(500, 'INTERNAL_SERVER_ERROR', 'failed to create pipes');
}

interface PipeReader {
  readonly program: RootProcess;
  readonly closed: Promise<void>;
}

async function readPipe(
  place: SessionPlace,
  path: string,
  mark: Buffer,
  append: (bytes: Buffer) => void,
): Promise<PipeReader> {
  const program = await place.root.spawn(['cat', path], { env: place.env });
  const labeler = createLineLabeler(mark);
  program.stdin.end();
  program.stderr.resume();
  program.stdout.on('data', (bytes: Buffer) => append(labeler.push(bytes)));
  const closed = once(program.stdout, 'close').then(() => append(labeler.end()));
  return { program, closed };
}

async function send(
  input: FileHandle | null,
  text: string,
  exitCode: number | undefined,
  append: (bytes: Buffer) => void,
): Promise<void> {
  if (exitCode !== undefined) {
    const message = `command has already completed with exit code ${exitCode}`;
    throw daemonError(410, 'COMMAND_ALREADY_COMPLETED', message);
  }
  if (input === null) throw daemonError(400, 'BAD_REQUEST', 'the command does not read input');
  const line = text.endsWith('\n') ? text : `${text}\n`;
  await input.write(line);
  append(Buffer.concat([stdoutMark, Buffer.from(line)]));
}

interface CommandLog {
  readonly append: (bytes: Buffer) => void;
  readonly bytes: () => Buffer;
  readonly listen: (listener: (bytes: Buffer) => void) => () => void;
}

function createCommandLog(): CommandLog {
  const pieces: Buffer[] = [];
  const listeners = new Set<(bytes: Buffer) => void>();
  return {
    append(bytes) {
      if (bytes.length === 0) return;
      pieces.push(bytes);
      for (const listener of listeners) listener(bytes);
    },
    bytes: () => Buffer.concat(pieces),
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
