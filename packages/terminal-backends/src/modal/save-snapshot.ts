import { isAbortOf, raceAbort } from '@talaria/core';
import type { Image, Sandbox } from 'modal';
import type { ModalAccount } from './modal-account.ts';
import { explainModalError } from './modal-error.ts';
import type { ModalBackendOptions } from './modal-options.ts';

/** What a snapshot is made with. */
export interface SnapshotParts {
  readonly account: ModalAccount;
  readonly options: ModalBackendOptions;
  readonly signal: AbortSignal;
}

const maxSnapshotMs = 600_000;
const millisecondsPerSecond = 1_000;

/** Saves the file system of a sandbox as an image; gives its id, `im-…`. Deleting it is up to whoever asked for it. */
export async function saveSnapshot(sandbox: Sandbox, parts: SnapshotParts): Promise<string> {
  const { account, options, signal } = parts;
  const lifetimeMs = options.snapshotLifetimeMs ?? null;
  const ttlMs = lifetimeMs === null ? null : Math.ceil(lifetimeMs / millisecondsPerSecond) * millisecondsPerSecond;
  signal.throwIfAborted();
  const saving = sandbox.snapshotFilesystem({ timeoutMs: maxSnapshotMs, ttlMs });
  try {
    return (await raceAbort(saving, signal)).imageId;
  } catch (error) {
    if (isAbortOf(error, signal)) deleteLate(saving, account);
    const { serverUrl } = account;
    throw explainModalError(error, { action: 'save the sandbox as an image', phase: 'transfer', serverUrl, signal });
  }
}

/** Nobody knows the name of one that was given up. */
function deleteLate(saving: Promise<Image>, { client }: ModalAccount): void {
  saving
    .then((image) => client.images.delete(image.imageId))
    // Without it, the image stays for as long as snapshots do.
    .catch(() => undefined);
}
