import { openDeadline, raceAbort } from '@talaria/core';
import { toolFromOptions } from '../define-tool.ts';
import type { Tool, ToolCallContext, ToolResult } from '../tool.ts';
import { toolError } from '../tool-result.ts';
import { aggregationMessages } from './aggregation-prompt.ts';
import { askProposers, type Proposal } from './ask-proposers.ts';
import { explainModelFailure, failedCall } from './model-failure.ts';
import type { ToolModel } from './ports.ts';

const aggregatorTemperature = 0.4;
/** An aggregator that answers nothing is asked once more, as some models put all into their reasoning. */
const aggregatorAttempts = 2;

/** Models that answer together. */
export interface MixtureModels {
  /** Answer the request, each for itself, at the same time. */
  readonly proposers: readonly ToolModel[];
  /** Makes one answer of theirs. */
  readonly aggregator: ToolModel;
  /** Proposers that must have answered. @default 1 */
  readonly minProposals?: number | undefined;
  /** Wall clock of each proposer, and of the aggregator, in milliseconds. @default 240_000 */
  readonly modelTimeoutMs?: number | undefined;
}

/** The tool `mixture_of_agents`: several models answer, and one makes the best answer of theirs. */
export function createMixtureTool(mixture: MixtureModels | undefined): Tool {
  const modelTimeoutMs = mixture?.modelTimeoutMs ?? 240_000;
  return toolFromOptions<{ readonly user_prompt: string }>({
    name: 'mixture_of_agents',
    toolset: 'moa',
    sideEffect: 'external',
    // Each model keeps its own time; the tool's is for what comes on top.
    timeoutMs: modelTimeoutMs * (1 + aggregatorAttempts) + 30_000,
    description:
      'Let several models work on one very hard problem and combine their answers. Slow and costly: only for problems in mathematics, programming or analysis that one model may get wrong.',
    parameters: {
      type: 'object',
      properties: {
        user_prompt: {
          type: 'string',
          minLength: 1,
          maxLength: 200_000,
          description: 'The whole problem, with all that is needed to solve it: the models see nothing else',
        },
      },
      required: ['user_prompt'],
    },
    checkAvailability: () =>
      mixture === undefined || mixture.proposers.length === 0
        ? { isAvailable: false, reason: 'no models for a mixture are configured' }
        : { isAvailable: true },
    async execute({ user_prompt: userPrompt }, context) {
      if (mixture === undefined || mixture.proposers.length === 0) {
        return failedCall({ kind: 'not_available', message: 'No models for a mixture are configured.' });
      }
      const { signal, clock } = context;
      const proposals = await askProposers(mixture.proposers, userPrompt, { clock, signal, timeoutMs: modelTimeoutMs });
      const needed = Math.min(mixture.minProposals ?? 1, mixture.proposers.length);
      const told = tellModels(proposals, mixture.aggregator);
      if (told.answers.length < needed) {
        const message = `${told.answers.length} of ${proposals.length} models answered, ${needed} must: see failed_models. Solve it yourself, or try again later.`;
        return toolError('network', message, { success: false, ...told.fields });
      }
      return await aggregate(mixture.aggregator, userPrompt, told, { context, timeoutMs: modelTimeoutMs });
    },
  });
}

/** What the proposers came to, and the fields of the result that tell it. */
interface ToldModels {
  readonly answers: readonly string[];
  readonly fields: {
    readonly models_used: { readonly reference_models: readonly string[]; readonly aggregator_model: string };
    readonly failed_models?: readonly { readonly model: string; readonly error: string }[];
  };
}

function tellModels(proposals: readonly Proposal[], aggregator: ToolModel): ToldModels {
  const answered = proposals.flatMap((proposal) => (proposal.kind === 'answered' ? [proposal] : []));
  const failed = proposals.flatMap((proposal) => (proposal.kind === 'failed' ? [proposal] : []));
  return {
    answers: answered.map(({ text }) => text),
    fields: {
      models_used: { reference_models: answered.map(({ model }) => model), aggregator_model: aggregator.name },
      ...(failed.length === 0
        ? {}
        : { failed_models: failed.map(({ model, message }) => ({ model, error: message })) }),
    },
  };
}

async function aggregate(
  aggregator: ToolModel,
  userPrompt: string,
  told: ToldModels,
  { context, timeoutMs }: { readonly context: ToolCallContext; readonly timeoutMs: number },
): Promise<ToolResult | ({ readonly success: true; readonly response: string } & ToldModels['fields'])> {
  const { signal, clock } = context;
  const request = { messages: aggregationMessages(userPrompt, told.answers), temperature: aggregatorTemperature };
  for (let attempt = 1; attempt <= aggregatorAttempts; attempt += 1) {
    using deadline = openDeadline(clock, timeoutMs, signal);
    try {
      const { text } = await raceAbort(aggregator.ask(request, { signal: deadline.signal }), deadline.signal);
      if (text.trim() !== '') return { success: true, response: text, ...told.fields };
    } catch (error) {
      signal.throwIfAborted();
      const failure = explainModelFailure(aggregator.name, error);
      return deadline.isExpired()
        ? toolError(
            'timeout',
            `${aggregator.name} did not answer within ${Math.round(timeoutMs / 1_000)} s.`,
            failedFields(told),
          )
        : toolError(failure.kind, failure.message, failedFields(told));
    }
  }
  return toolError(
    'network',
    `${aggregator.name} answered nothing. Try again, or solve it yourself.`,
    failedFields(told),
  );
}

function failedFields({ fields }: ToldModels): { readonly success: false } & ToldModels['fields'] {
  return { success: false, ...fields };
}
