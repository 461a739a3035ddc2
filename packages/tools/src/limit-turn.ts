import { type StoreResultOptions, storeResult } from './result-limits.ts';
import type { DispatchOptions, ToolCallOutcome } from './tool-dispatcher.ts';
import type { DispatcherSetup } from './tool-dispatcher-options.ts';

/** Stores the largest results of a turn until the rest fits. */
export async function limitTurn(
  setup: DispatcherSetup,
  outcomes: readonly ToolCallOutcome[],
  { signal }: DispatchOptions = {},
): Promise<readonly ToolCallOutcome[]> {
  const { turnBudgetChars, previewChars } = setup.limits;
  let totalChars = outcomes.reduce((sum, { content }) => sum + content.length, 0);
  if (totalChars <= turnBudgetChars) return outcomes;
  const limited = [...outcomes];
  const candidates = [...outcomes.entries()]
    .filter(([, outcome]) => outcome.storedAt === null && outcome.content.length > previewChars)
    .sort(([, left], [, right]) => right.content.length - left.content.length);
  for (const [index, outcome] of candidates) {
    if (totalChars <= turnBudgetChars) break;
    const stored = await storeResult(
      outcome.content,
      storeOptionsOf(setup, outcome.toolCallId, { unstoredChars: previewChars, signal }),
    );
    totalChars += stored.content.length - outcome.content.length;
    limited[index] = { ...outcome, ...stored };
  }
  return limited;
}

/** How a result is stored; `unstoredChars` is what stays of it where that is not possible. */
export function storeOptionsOf(
  { rolloutId, openSandbox, view, limits, logger }: DispatcherSetup,
  toolCallId: string,
  options: { readonly unstoredChars: number; readonly signal: AbortSignal | undefined },
): StoreResultOptions {
  const { unstoredChars, signal = new AbortController().signal } = options;
  const canReadStored = view.names.has('read_file') || view.names.has('terminal');
  return {
    toolCallId,
    rolloutId,
    previewChars: limits.previewChars,
    unstoredChars,
    sandbox: canReadStored ? () => openSandbox(signal) : undefined,
    signal,
    logger,
  };
}
