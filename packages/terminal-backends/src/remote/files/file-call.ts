import { isAbortOf, type Semaphore } from '@talaria/core';
import { type FileOperation, fileError } from '../../host-files/file-error.ts';
import type { BackendKind } from '../../sandbox.ts';
import { parseSandboxPath, tidyPath } from '../../sandbox-path.ts';
import type { FileCarrier } from '../file-carrier.ts';
import { remoteError } from '../remote-error.ts';
import type { ScriptOptions, ScriptRunner } from '../script-runner.ts';
import { scriptFailure } from './script-failure.ts';

/** What the files of a remote sandbox are reached by. */
export interface RemoteFilesParts {
  readonly kind: BackendKind;
  readonly scripts: ScriptRunner;
  /** Carries large files where it can. @default none */
  readonly carrier?: FileCarrier | undefined;
  /** What `~` means. */
  readonly home: string;
  /** Where relative paths start. */
  readonly currentFolder: () => string;
  /** Real folder that holds the sandbox itself: neither it nor what holds it can be removed or moved. @default `/` */
  readonly holder?: string | undefined;
}

/** What a call on files works with. */
export interface FileCallParts extends RemoteFilesParts {
  /** A place for each transfer under way, so that many at once do not fill the sandbox with processes. */
  readonly transfers: Semaphore;
}

/** A path of the sandbox as the scripts take it: the user whose home it is below, or nothing, and the path. */
export type PathWords = readonly [user: string, path: string];

/** One call on files: what it does, to what, for messages and errors. */
export interface FileCall extends FileOperation {
  readonly parts: FileCallParts;
  readonly words: PathWords;
  readonly signal: AbortSignal | undefined;
}

/** Begins a call. @throws SandboxError `sandbox.unsafe-path` for what is no path */
export function openFileCall(
  parts: FileCallParts,
  action: string,
  path: string,
  signal: AbortSignal | undefined,
): FileCall {
  signal?.throwIfAborted();
  return { backend: parts.kind, parts, action, path, words: pathWords(parts, path), signal };
}

/** A path for the scripts. @throws SandboxError `sandbox.unsafe-path` for what is none */
export function pathWords({ kind, home, currentFolder }: RemoteFilesParts, path: string): PathWords {
  const parsed = parseSandboxPath(path, currentFolder(), home);
  if (parsed.kind === 'absolute') return ['', parsed.path];
  if (parsed.kind === 'user') return [parsed.user, tidyPath(parsed.rest).replace(/^\/$/, '')];
  throw remoteError(kind, `${JSON.stringify(path)} is not a path`, {
    code: 'sandbox.unsafe-path',
    phase: 'transfer',
    started: false,
    hint: 'A path has at least one character and no NUL.',
  });
}

/** Runs a script about the path of a call; gives what it wrote. */
export async function runFileScript(
  call: FileCall,
  script: string,
  args: readonly string[] = [],
  options: Omit<ScriptOptions, 'signal'> = {},
): Promise<Buffer> {
  const { parts, words, signal } = call;
  const { exitCode, output } = await parts.scripts.run(script, [...words, ...args], { ...options, signal });
  const bytes = Buffer.from(output.buffer, output.byteOffset, output.byteLength);
  if (exitCode === 0) return bytes;
  throw scriptFailure(exitCode, bytes.toString(), call);
}

/** Does work on files of the host and gives its errors their place in the tree. */
export async function onHost<Result>(
  { backend, action, signal }: FileCall,
  hostPath: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (isAbortOf(error, signal)) throw error;
    throw fileError(error, { backend, action, path: hostPath, signal });
  }
}
