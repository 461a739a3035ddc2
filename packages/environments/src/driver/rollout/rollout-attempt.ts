import type { JsonObject, RunEventBody } from '@talaria/core';
import { createDisposalStack, errorMessage, seededRandom } from '@talaria/core';
import type { ChatModel } from '@talaria/model-client';
import { createToolContext } from '@talaria/tool-context';
import { createToolState, type ToolDispatcher } from '@talaria/tools';
import type { RewardContext } from '../../environment.ts';
import type { RolloutIdentity } from '../run/driver-options.ts';
import type { RolloutGroup, RunScope } from '../run/run-scope.ts';
import { meterModel } from './metered-model.ts';
import { openModelTools, openVerifierTools } from './rollout-tools.ts';
import { isNetworkAllowed, toSandboxSpec } from './sandbox-spec.ts';
import { watchModel } from './watch-model.ts';

/** Longest time that closing what a rollout opened may take. */
const disposeTimeoutMs = 30_000;

/** Everything that one attempt at a rollout owns. Disposing closes model, tools and sandbox, in this order. */
export interface RolloutAttempt<Item extends JsonObject, Config> extends AsyncDisposable {
  readonly scope: RunScope<Item, Config>;
  readonly identity: RolloutIdentity<Item>;
  readonly group: RolloutGroup;
  readonly rolloutId: string;
  readonly model: ChatModel;
  /** The tools that the model is offered. */
  readonly tools: ToolDispatcher;
  readonly emit: (event: RunEventBody) => void;
  /** What an environment's function holds, with everything in it stopped by `signal`. */
  contextFor(signal: AbortSignal): RewardContext<Config>;
}

/** Opens an attempt: nothing runs yet, and the sandbox opens on first use. */
export function openAttempt<Item extends JsonObject, Config>(
  scope: RunScope<Item, Config>,
  group: RolloutGroup,
  identity: RolloutIdentity<Item>,
  rolloutId: string,
): RolloutAttempt<Item, Config> {
  const { options, config, logger, sandboxes, clock } = scope;
  const stack = createDisposalStack({ logger, timeoutMs: disposeTimeoutMs });
  const lease = stack.use(
    sandboxes.lease(toSandboxSpec(rolloutId, identity.item, config.terminal, sandboxes.backend.capabilities)),
  );
  const state = stack.use(createToolState());
  const owner = { rolloutId, lease, state, isNetworkAllowed: isNetworkAllowed(identity.item, config.terminal) };
  const tools = stack.use(openModelTools(scope, owner, group.view));
  const verifierTools = stack.use(openVerifierTools(scope, owner));
  const own = typeof options.model === 'function' ? stack.use(options.model(identity)) : options.model;
  const model = watchModel(own, {
    async onAnswer() {
      scope.watcher.onAnswer();
      await scope.turnstile.pass();
    },
    onError: (error) => scope.watcher.onError(error),
  });
  return {
    scope,
    identity,
    group,
    rolloutId,
    model,
    tools,
    emit: createEmitter(scope, rolloutId),
    contextFor(signal) {
      const toolContext = createToolContext({ taskId: rolloutId, lease, tools: verifierTools, signal, clock, logger });
      // Assigned to, not copied: whether the verifier opened the sandbox is known only later.
      return Object.assign(toolContext, {
        ...scope.context,
        model: meterModel(model, scope.judgeMeter),
        random: (name: string) => seededRandom(`${scope.seed}/${identity.itemKey}/${identity.sample}/${name}`),
        signal,
        sample: identity.sample,
      });
    },
    [Symbol.asyncDispose]: () => Promise.resolve(stack[Symbol.asyncDispose]()),
  };
}

/** Numbers the events of a rollout, and hands them to the run folder and the caller. */
function createEmitter<Item extends JsonObject, Config>(
  scope: RunScope<Item, Config>,
  rolloutId: string,
): (event: RunEventBody) => void {
  const { folder, options, clock, logger } = scope;
  let sequence = 0;
  return (body) => {
    const event = { version: 1 as const, runId: folder.runId, rolloutId, sequence, at: clock.now(), ...body };
    sequence += 1;
    folder.recordEvent(event);
    try {
      options.onEvent?.(event);
    } catch (error) {
      logger.warn('run.listener-failed', { listener: 'onEvent', message: errorMessage(error) });
    }
  };
}
