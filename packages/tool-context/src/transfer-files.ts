import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder, SandboxError, systemErrorCode } from '@talaria/core';
import type { SandboxHandle, TransferResult } from '@talaria/terminal-backends';
import type { FileTransfer, FolderTransfer } from './tool-context.ts';

/** Copies one file of the host into the sandbox, and compares size and SHA-256 afterwards. */
export async function uploadFile(
  sandbox: SandboxHandle,
  hostPath: string,
  path: string,
  signal: AbortSignal | undefined,
): Promise<FileTransfer> {
  await requireOnHost(sandbox, hostPath, 'file');
  return asFileTransfer(
    sandbox,
    path,
    await sandbox.upload(hostPath, path, { verifyHash: true, symlinks: 'follow', signal }),
  );
}

/** Copies a folder of the host into the sandbox: modes, links and empty folders too. */
export async function uploadFolder(
  sandbox: SandboxHandle,
  hostPath: string,
  path: string,
  signal: AbortSignal | undefined,
): Promise<FolderTransfer> {
  await requireOnHost(sandbox, hostPath, 'directory');
  return asFolderTransfer(await sandbox.upload(hostPath, path, { signal }));
}

/** Copies one file of the sandbox to the host, makes its folder, and compares size and SHA-256 afterwards. */
export async function downloadFile(
  sandbox: SandboxHandle,
  path: string,
  hostPath: string,
  signal: AbortSignal | undefined,
): Promise<FileTransfer> {
  await requireInSandbox(sandbox, path, 'file', signal);
  await makeHostFolder(sandbox, dirname(hostPath));
  return asFileTransfer(
    sandbox,
    path,
    await sandbox.download(path, hostPath, { verifyHash: true, symlinks: 'follow', signal }),
  );
}

/** Copies a folder of the sandbox to the host. Links that point outside it are left out and reported. */
export async function downloadFolder(
  sandbox: SandboxHandle,
  path: string,
  hostPath: string,
  signal: AbortSignal | undefined,
): Promise<FolderTransfer> {
  await requireInSandbox(sandbox, path, 'directory', signal);
  return asFolderTransfer(await sandbox.download(path, hostPath, { signal }));
}

async function makeHostFolder(sandbox: SandboxHandle, folder: string): Promise<void> {
  try {
    await makeFolder(folder);
  } catch (error) {
    const code = hostFaults.get(systemErrorCode(error) ?? '') ?? 'sandbox.failed';
    throw transferError(sandbox, code, `Cannot make the folder ${folder} on the host`, error);
  }
}

const hostFaults: ReadonlyMap<string, `sandbox.${string}`> = new Map([
  ['EEXIST', 'sandbox.not-directory'],
  ['ENOTDIR', 'sandbox.not-directory'],
  ['EACCES', 'sandbox.permission'],
  ['EPERM', 'sandbox.permission'],
  ['EROFS', 'sandbox.permission'],
  ['ENOSPC', 'sandbox.no-space'],
  ['EDQUOT', 'sandbox.no-space'],
]);

type WantedKind = 'file' | 'directory';

async function requireOnHost(sandbox: SandboxHandle, hostPath: string, wanted: WantedKind): Promise<void> {
  const found = await stat(hostPath).catch((error: unknown) => {
    if (systemErrorCode(error) === 'ENOENT' || systemErrorCode(error) === 'ENOTDIR') return null;
    throw transferError(sandbox, 'sandbox.permission', `Cannot look at ${hostPath} on the host`, error);
  });
  requireKind(sandbox, `${hostPath} on the host`, found === null ? null : found.isDirectory(), wanted);
}

async function requireInSandbox(
  sandbox: SandboxHandle,
  path: string,
  wanted: WantedKind,
  signal: AbortSignal | undefined,
): Promise<void> {
  const found = await sandbox.stat(path, { signal });
  requireKind(sandbox, `${path} in the sandbox`, found === null ? null : found.kind === 'directory', wanted);
}

function requireKind(sandbox: SandboxHandle, where: string, isDirectory: boolean | null, wanted: WantedKind): void {
  if (isDirectory === null) throw transferError(sandbox, 'sandbox.not-found', `There is no ${where}`);
  if (isDirectory === (wanted === 'directory')) return;
  throw isDirectory
    ? transferError(sandbox, 'sandbox.is-directory', `${where} is a folder, not a file`)
    : transferError(sandbox, 'sandbox.not-directory', `${where} is a file, not a folder`);
}

function asFileTransfer(sandbox: SandboxHandle, path: string, result: TransferResult): FileTransfer {
  const { bytes, sha256 } = result;
  if (result.files === 1 && sha256 !== undefined) return { bytes, sha256 };
  const what = result.skipped.map((entry) => entry.reason).join('; ') || 'the backend gave no checksum';
  throw transferError(sandbox, 'sandbox.integrity', `${path} was not transferred: ${what}`);
}

function asFolderTransfer({ files, bytes, skipped }: TransferResult): FolderTransfer {
  return { files, bytes, skipped };
}

function transferError(
  sandbox: SandboxHandle,
  code: `sandbox.${string}`,
  message: string,
  cause?: unknown,
): SandboxError {
  return new SandboxError(message, {
    code,
    backend: sandbox.kind,
    phase: 'transfer',
    started: false,
    ...(cause === undefined ? {} : { cause }),
  });
}
