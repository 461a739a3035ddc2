import type { FoundEntry } from '../ledger/sandbox-ledger.ts';
import { localError } from './local-error.ts';
import { removeSandboxes, type SweepTools } from './sweep-sandboxes.ts';

/**
 * Removes one sandbox with everything that runs in it, whoever owns it; says whether there was an entry of it. What the
 * ledger does not know is nobody's sandbox, whatever its name leads to.
 * @throws SandboxError `sandbox.failed` where something of it cannot be ended or removed
 */
export async function removeSandbox(id: string, tools: SweepTools, signal: AbortSignal | undefined): Promise<boolean> {
  signal?.throwIfAborted();
  const known = (await tools.ledger.list()).find((found) => found.id === id);
  if (known === undefined || !isOwn(known)) return false;
  const { failed } = await removeSandboxes([id], tools, signal);
  const [failure] = failed;
  if (failure === undefined) return true;
  throw localError(failure.reason, {
    code: 'sandbox.failed',
    phase: 'dispose',
    started: true,
    hint: 'Do what the message says, and try again.',
  });
}

/** What a later version wrote may be of any backend, and have more to it than this one knows. */
function isOwn({ entry, fault }: FoundEntry): boolean {
  return fault === 'torn' || entry?.backend === 'local';
}
