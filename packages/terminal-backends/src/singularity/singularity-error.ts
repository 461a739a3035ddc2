import { errorMessage, isTalariaError, SandboxError, type SandboxErrorOptions, systemErrorCode } from '@talaria/core';

/** Makes an error of this backend; nothing was started unless it says so. */
export function singularityError(
  message: string,
  options: Omit<SandboxErrorOptions, 'backend' | 'started'> & { readonly started?: boolean | undefined },
): SandboxError {
  return new SandboxError(message, { ...options, started: options.started ?? false, backend: 'singularity' });
}

/** What the program says, without its colours and what is of no interest. */
export function readComplaint(output: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the program colours its messages.
  const plain = output.replace(/\u001b\[[0-9;]*m/g, '');
  const lines = plain.split('\n').filter((line) => line.trim() !== '' && !/^(?:INFO|WARNING):/.test(line));
  return (lines.length > 0 ? lines.slice(-maxComplaintLines).join('\n') : plain.slice(-maxComplaintLength)).trim();
}

const maxComplaintLines = 8;
const maxComplaintLength = 1_000;

const noSpaceHint =
  'Make room, or choose other disks by cacheFolder and scratchFolder, APPTAINER_CACHEDIR and APPTAINER_TMPDIR.';
const noSpace = /no space left|quota exceeded/i;

/** The code of an error with such a complaint. */
export function codeFor(complaint: string, otherwise: 'sandbox.failed' | 'sandbox.build-failed'): `sandbox.${string}` {
  return noSpace.test(complaint) ? 'sandbox.no-space' : otherwise;
}

const fullDisk: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);

/** What this machine failed with while files of a sandbox were made, as an error that says where. Others pass. */
export function explainSystemError(error: unknown, folder: string): unknown {
  const code = systemErrorCode(error);
  if (code === undefined || isTalariaError(error)) return error;
  const isFull = fullDisk.has(code);
  return singularityError(`No sandbox can be made in ${folder}: ${errorMessage(error)}`, {
    code: isFull ? 'sandbox.no-space' : 'sandbox.failed',
    phase: 'create',
    hint: isFull
      ? noSpaceHint
      : 'See that the folder can be written to, or choose others (stateFolder, scratchFolder).',
    cause: error,
  });
}

/** What is to be done about what the program complains of. */
export function hintFor(complaint: string): string {
  const known = faults.find(({ text }) => text.test(complaint));
  return known?.hint ?? 'Do what the program says; try the same by hand: apptainer exec IMAGE true.';
}

const faults: readonly { readonly text: RegExp; readonly hint: string }[] = [
  {
    text: noSpace,
    hint: noSpaceHint,
  },
  {
    text: /\.singularity\.d\/actions/,
    hint: 'A folder with the files of a system is no image yet: make one of it (apptainer build FILE.sif FOLDER).',
  },
  {
    text: /unauthorized|authentication required|denied: requested access/i,
    hint: 'Give a login for the registry (registryLogin), and check the name of the image.',
  },
  {
    text: /manifest unknown|could not parse reference|name unknown|not found in registry/i,
    hint: 'Check the name of the image and its tag.',
  },
  {
    text: /user namespace|userns|unshare|newuidmap|subuid|operation not permitted/i,
    hint: 'Let users make namespaces (sudo sysctl -w kernel.unprivileged_userns_clone=1 user.max_user_namespaces=15000; on Ubuntu also kernel.apparmor_restrict_unprivileged_userns=0), or install the setuid variant of the program.',
  },
  {
    text: /dial tcp|i\/o timeout|no such host|connection refused|pinging container registry/i,
    hint: 'The registry cannot be reached from here: check the network and proxies, or build the image elsewhere and name its .sif file.',
  },
];
