import { SandboxError } from '@talaria/core';
import { type FileOperation, fileError, hintOfCode } from '../../host-files/file-error.ts';
import { scriptExits } from './path-script.ts';

interface KnownFailure {
  readonly code: `sandbox.${string}`;
  readonly what: string;
  readonly hint: string;
}

const hint = (code: `sandbox.${string}`): string => hintOfCode[code] ?? '';

const knownFailures: ReadonlyMap<number, KnownFailure> = new Map([
  [
    scriptExits.isDirectory,
    { code: 'sandbox.is-directory', what: 'it is a folder', hint: hint('sandbox.is-directory') },
  ],
  [
    scriptExits.notDirectory,
    {
      code: 'sandbox.not-directory',
      what: 'it is no folder',
      hint: 'Use another path, or remove what is there first.',
    },
  ],
  [
    scriptExits.irregular,
    {
      code: 'sandbox.failed',
      what: 'it is not a regular file',
      hint: 'Use a command for pipes, sockets and devices.',
    },
  ],
  [
    scriptExits.linkCircle,
    { code: 'sandbox.unsafe-path', what: 'it is a circle of links', hint: 'Remove one of the links.' },
  ],
  [scriptExits.exists, { code: 'sandbox.exists', what: 'it is there already', hint: hint('sandbox.exists') }],
  [scriptExits.permission, { code: 'sandbox.permission', what: 'Permission denied', hint: hint('sandbox.permission') }],
  [
    scriptExits.incomplete,
    {
      code: 'sandbox.integrity',
      what: 'not all bytes arrived',
      hint: 'Do it again; if it happens again, look at the connection to the sandbox.',
    },
  ],
  [
    scriptExits.holder,
    {
      code: 'sandbox.unsafe-path',
      what: 'it holds the sandbox itself',
      hint: 'Remove or move files inside the sandbox, or dispose of the sandbox.',
    },
  ],
  [
    scriptExits.noTar,
    {
      code: 'sandbox.missing-program',
      what: 'the sandbox has no tar, and folders are copied by it',
      hint: 'Install tar in the image, or copy the files one by one.',
    },
  ],
  [
    scriptExits.noUser,
    {
      code: 'sandbox.not-found',
      what: 'there is no such user whose home could be looked up',
      hint: 'Write ./~name for a file that is called so.',
    },
  ],
]);

/** What the tools write for an error of the system, in the C locale; some shells have words of their own. */
const systemErrors: readonly (readonly [RegExp, string])[] = [
  [/: (?:No such file or directory|nonexistent directory|Directory nonexistent|no such file)$/m, 'ENOENT'],
  [/: Is a directory$/m, 'EISDIR'],
  [/: Not a directory$/m, 'ENOTDIR'],
  [/: Permission denied$/m, 'EACCES'],
  [/: Operation not permitted$/m, 'EPERM'],
  [/: Read-only file system$/m, 'EROFS'],
  [/: No space left on device$/m, 'ENOSPC'],
  [/: Disk quota exceeded$/m, 'EDQUOT'],
  [/: File too large$/m, 'EFBIG'],
  [/: File exists$/m, 'EEXIST'],
  [/: Directory not empty$/m, 'ENOTEMPTY'],
  [/: Too many levels of symbolic links$/m, 'ELOOP'],
  [/: File name too long$/m, 'ENAMETOOLONG'],
  [/: Invalid cross-device link$/m, 'EXDEV'],
  [/: Device or resource busy$/m, 'EBUSY'],
];

const maxTextLength = 500;

/** The error of a script that ended with another exit code than 0. */
export function scriptFailure(exitCode: number, text: string, operation: FileOperation): unknown {
  const known = knownFailures.get(exitCode);
  const what = `Cannot ${operation.action} ${JSON.stringify(operation.path)}`;
  if (known !== undefined) return failure(`${what}: ${known.what}`, known, operation);
  const said = text.trim().slice(-maxTextLength);
  const systemCode = systemErrors.find(([pattern]) => pattern.test(said))?.[1];
  if (systemCode !== undefined) return fileError(Object.assign(new Error(said), { code: systemCode }), operation);
  if (exitCode === 127) {
    const missing = { code: 'sandbox.missing-program', hint: 'Use an image with coreutils or BusyBox.' } as const;
    return failure(`${what}, since the sandbox lacks a program: ${said}`, missing, operation);
  }
  const unknown = { code: 'sandbox.failed', hint: 'Look at what the program in the sandbox says.' } as const;
  return failure(`${what}: ${said || `its script ended with ${exitCode}`}`, unknown, operation);
}

function failure(
  message: string,
  { code, hint: advice }: { readonly code: `sandbox.${string}`; readonly hint: string },
  { backend }: FileOperation,
): SandboxError {
  const started = code !== 'sandbox.not-found' && code !== 'sandbox.is-directory';
  return new SandboxError(message, { backend, code, phase: 'transfer', started, hint: advice });
}
