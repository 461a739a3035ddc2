import { type StoreResultOptions, storeResult } from './result-limits.ts';
import type { DispatchOptions, ToolCallOutcome } from './tool-dispatcher.ts';
import type { DispatcherSetup } from './tool-dispatcher-options.ts';

/** About what a stored result takes beside its preview: the path, and how to read it. */
const blockChars = 400;

/** Stores the largest results of a turn until the rest fits, or nothing is left that would become shorter. */
export async function limitTurn(
  setup: DispatcherSetup,
  outcomes: readonly ToolCallOutcome[],
  { signal }: DispatchOptions = {},
): Promise<readonly ToolCallOutcome[]> {
  const { turnBudgetChars } = setup.limits;
  let totalChars = outcomes.reduce((sum, { content }) => sum + content.length, 0);
  if (totalChars <= turnBudgetChars) return outcomes;
  const previewChars = previewFor(outcomes.length, setup);
  const limited = [...outcomes];
  const candidates = [...outcomes.entries()]
    .filter(([, outcome]) => outcome.storedAt === null && outcome.content.length > previewChars + blockChars)
    .sort(([, left], [, right]) => right.content.length - left.content.length);
  for (const [index, outcome] of candidates) {
    if (totalChars <= turnBudgetChars) break;
    const options = { unstoredChars: previewChars + blockChars, previewChars, signal };
    const stored = await storeResult(outcome.content, storeOptionsOf(setup, outcome.toolCallId, options));
    totalChars += stored.content.length - outcome.content.length;
    limited[index] = { ...outcome, ...stored };
  }
  return limited;
}

/** What each result may show where very many share the budget: nothing but its path in the end. */
function previewFor(count: number, { limits }: DispatcherSetup): number {
  const share = Math.floor(limits.turnBudgetChars / count) - blockChars;
  return Math.max(0, Math.min(limits.previewChars, share));
}

/** How a result is stored; `unstoredChars` is what stays of it where that is not possible. */
export function storeOptionsOf(
  { rolloutId, openSandbox, view, limits, logger }: DispatcherSetup,
  toolCallId: string,
  options: {
    readonly unstoredChars: number;
    /** @default that of the limits */
    readonly previewChars?: number;
    readonly signal: AbortSignal | undefined;
  },
): StoreResultOptions {
  const { unstoredChars, previewChars = limits.previewChars, signal = new AbortController().signal } = options;
  const canReadStored = view.names.has('read_file') || view.names.has('terminal');
  return {
    toolCallId,
    rolloutId,
    previewChars,
    unstoredChars,
    sandbox: canReadStored ? () => openSandbox(signal) : undefined,
    signal,
    logger,
  };
}
