import { type Clock, mapConcurrent, openDeadline, raceAbort } from '@talaria/core';
import { explainModelFailure } from './model-failure.ts';
import type { ToolModel } from './ports.ts';

/** Proposers that are asked at the same time. */
const maxAtOnce = 16;

/** Upstream's: diverse proposals, a focused aggregation. */
const proposerTemperature = 0.6;

/** What one proposer came to. */
export type Proposal =
  | { readonly kind: 'answered'; readonly model: string; readonly text: string }
  | { readonly kind: 'failed'; readonly model: string; readonly message: string };

/** What {@link askProposers} needs. */
export interface AskProposersOptions {
  /** Wall clock of each proposer, in milliseconds. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Asks several models the same at the same time, and tells of each what it answered or why it did not; in the order of the
 * models. Only an abort by the caller rejects.
 */
export function askProposers(
  proposers: readonly ToolModel[],
  userPrompt: string,
  options: AskProposersOptions,
): Promise<readonly Proposal[]> {
  const { signal } = options;
  return mapConcurrent(proposers, maxAtOnce, (proposer) => askOne(proposer, userPrompt, options), { signal });
}

async function askOne(
  proposer: ToolModel,
  userPrompt: string,
  { clock, signal, timeoutMs }: AskProposersOptions,
): Promise<Proposal> {
  const model = proposer.name;
  using deadline = openDeadline(clock, timeoutMs, signal);
  const request = { messages: [{ role: 'user', content: userPrompt }], temperature: proposerTemperature } as const;
  try {
    // One model that does not hear its signal must not hold up the others; its request stays the model's to end.
    const asked = proposer.ask(request, { signal: deadline.signal });
    const { text } = await raceAbort(asked, deadline.signal);
    if (text.trim() === '') return { kind: 'failed', model, message: `${model} answered nothing.` };
    return { kind: 'answered', model, text };
  } catch (error) {
    signal.throwIfAborted();
    if (deadline.isExpired()) {
      return { kind: 'failed', model, message: `${model} did not answer within ${Math.round(timeoutMs / 1_000)} s.` };
    }
    return { kind: 'failed', model, message: explainModelFailure(model, error).message };
  }
}
