import { mapConcurrent } from '@talaria/core';
import type { Sandbox } from 'modal';
import type { SandboxListing } from '../backend.ts';
import { judgeSharedOwner } from '../ledger/sandbox-owner.ts';
import type { ModalAccount } from './modal-account.ts';
import { explainModalError, hasEnded } from './modal-error.ts';
import { readTags, sandboxTag } from './sandbox-tags.ts';

/** A sandbox that runs, with what its tags tell. */
export interface FoundSandbox {
  readonly sandbox: Sandbox;
  readonly listing: SandboxListing;
}

const questionsAtOnce = 8;

/** Finds every running sandbox of the app that bears Talaria's tags, whoever made it. */
export async function findModalSandboxes(
  account: ModalAccount,
  signal: AbortSignal | undefined,
): Promise<readonly FoundSandbox[]> {
  const app = await account.findApp(signal);
  if (app === null) return [];
  const { client, cancellation, serverUrl } = account;
  const ending = signal ?? new AbortController().signal;
  try {
    const sandboxes = await cancellation.within(ending, async () => {
      const all: Sandbox[] = [];
      for await (const sandbox of client.sandboxes.list({ appId: app.appId, tags: { ...sandboxTag } }))
        all.push(sandbox);
      return all;
    });
    const found = await mapConcurrent(sandboxes, questionsAtOnce, describeSandbox, { signal });
    return found.filter((entry) => entry !== null);
  } catch (error) {
    throw explainModalError(error, { action: 'list sandboxes', phase: 'dispose', serverUrl, signal });
  }
}

async function describeSandbox(sandbox: Sandbox): Promise<FoundSandbox | null> {
  try {
    const { name, taskId, owner, createdAt, expiresAt } = readTags(await sandbox.getTags());
    const listing: SandboxListing = {
      id: name || sandbox.sandboxId,
      backend: 'modal',
      taskId,
      owner,
      ownerState: owner === null ? 'unknown' : await judgeSharedOwner(owner),
      createdAt: createdAt ?? 0,
      expiresAt,
      state: 'running',
    };
    return { sandbox, listing };
  } catch (error) {
    // It has ended since it was listed.
    if (hasEnded(error)) return null;
    throw error;
  }
}
