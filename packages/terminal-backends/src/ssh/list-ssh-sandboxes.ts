import { isJsonObject, parseJson, SandboxError } from '@talaria/core';
import type { SandboxListing } from '../backend.ts';
import { judgeSharedOwner, parseOwner } from '../ledger/sandbox-owner.ts';
import { listPlacesScript } from './place-scripts.ts';
import { runRemoteScript } from './remote-script.ts';
import type { PlaceTools } from './ssh-place.ts';

const maxListMs = 30_000;

/** Tells of every sandbox of the account on the server, whoever opened it. */
export async function listSshSandboxes(
  tools: PlaceTools,
  signal: AbortSignal | undefined,
): Promise<readonly SandboxListing[]> {
  const result = await runRemoteScript(tools.login, [listPlacesScript], {
    clock: tools.clock,
    timeoutMs: maxListMs,
    signal,
  });
  if (result.exitCode !== 0) throw listError(result.stderr.trim() || `exit code ${result.exitCode}`);
  const entries = result.stdout.split('\0');
  const listings: SandboxListing[] = [];
  for (let at = 0; at + 1 < entries.length; at += 2) {
    const listing = await readListing(entries[at] ?? '', entries[at + 1] ?? '');
    if (listing !== null) listings.push(listing);
  }
  return listings;
}

/** Programs of a sandbox can write what they like into its notes: they count for nothing but that sandbox. */
async function readListing(id: string, text: string): Promise<SandboxListing | null> {
  const parsed = parseJson(text);
  if (!parsed.ok || !isJsonObject(parsed.value)) return null;
  const { id: writtenId, taskId, owner: writtenOwner, createdAt, expiresAt } = parsed.value;
  if (writtenId !== id || typeof taskId !== 'string' || typeof createdAt !== 'number') return null;
  const owner = parseOwner(writtenOwner);
  return {
    id,
    backend: 'ssh',
    taskId,
    owner,
    ownerState: owner === null ? 'unknown' : await judgeSharedOwner(owner),
    createdAt,
    expiresAt: typeof expiresAt === 'number' ? expiresAt : null,
    state: 'present',
  };
}

function listError(message: string): SandboxError {
  return new SandboxError(`The sandboxes on the server cannot be listed: ${message}`, {
    backend: 'ssh',
    code: 'sandbox.failed',
    phase: 'dispose',
    started: false,
    hint: 'The login must give a shell that runs commands: try `ssh` with the same account and the command `true`.',
  });
}
