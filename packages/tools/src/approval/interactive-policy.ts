import { type Clock, isAbortOf, openDeadline, raceAbort, systemClock } from '@talaria/core';
import { type ApprovalPolicy, type ApprovalRequest, guarded } from '../approval-policy.ts';

const defaultTimeoutMs = 60_000;

/** Options of {@link createInteractivePolicy}. */
export interface InteractivePolicyOptions {
  /** Asks a person whether a call may be made. What it rejects with counts as no. */
  readonly ask: (request: ApprovalRequest, rule: string, options: { readonly signal: AbortSignal }) => Promise<boolean>;
  /** Decides what is asked about: only its `ask` is. @default what changes something where nothing isolates the machine */
  readonly policy?: ApprovalPolicy | undefined;
  /** How long an answer is waited for, in milliseconds; none means no. @default 60_000 */
  readonly timeoutMs?: number | undefined;
  /** @default the system's clock */
  readonly clock?: Clock | undefined;
}

/** A policy that asks a person. Rejects with the reason where the rollout is aborted meanwhile. */
export function createInteractivePolicy(options: InteractivePolicyOptions): ApprovalPolicy {
  const { ask, policy = askBeforeChanges, timeoutMs = defaultTimeoutMs, clock = systemClock } = options;
  return async (request) => {
    const decision = await policy(request);
    if (decision.kind !== 'ask') return decision;
    using deadline = openDeadline(clock, timeoutMs, request.signal);
    try {
      const { signal } = deadline;
      const isAllowed = await raceAbort(ask(request, decision.rule, { signal }), signal);
      return isAllowed ? { kind: 'allow' } : { kind: 'deny', rule: `${decision.rule}, which was not allowed` };
    } catch (error) {
      request.signal.throwIfAborted();
      const why = isAbortOf(error, deadline.signal) ? 'nobody answered' : 'asking failed';
      return { kind: 'deny', rule: `${decision.rule}: ${why}` };
    }
  };
}

/** What would destroy the machine is refused unasked, what changes nothing is not asked about. */
const askBeforeChanges: ApprovalPolicy = async (request) => {
  if (request.sideEffect === 'none') return { kind: 'allow' };
  if (request.sideEffect === 'sandbox' && (await request.isolation()) !== 'none') return { kind: 'allow' };
  const decision = await guarded(request);
  return decision.kind === 'allow' ? { kind: 'ask', rule: `a call of ${request.toolName} must be allowed` } : decision;
};
