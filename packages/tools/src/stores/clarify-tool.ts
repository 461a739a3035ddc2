import { toolFromOptions } from '../define-tool.ts';
import type { Tool } from '../tool.ts';
import { toolError } from '../tool-result.ts';

/** A question to the user. */
export interface UserQuestion {
  readonly question: string;
  /** Answers to choose from, at most four; the user may answer otherwise. `null` where none are offered. */
  readonly choices: readonly string[] | null;
}

/** Asks the user, or who stands in for one; `null` where there was no answer. Rejects with the signal's reason. */
export type AskUser = (question: UserQuestion, options: { readonly signal: AbortSignal }) => Promise<string | null>;

interface ClarifyArguments {
  readonly question: string;
  readonly choices?: readonly string[];
}

/** What {@link createClarifyTool} takes. */
export interface ClarifyToolOptions {
  readonly askUser: AskUser | undefined;
  readonly timeoutMs: number;
}

/** The tool `clarify`: asks the user. */
export function createClarifyTool({ askUser, timeoutMs }: ClarifyToolOptions): Tool {
  return toolFromOptions<ClarifyArguments>({
    name: 'clarify',
    toolset: 'clarify',
    sideEffect: 'external',
    timeoutMs,
    description:
      'Ask the user where the task can be understood in several ways or a decision is theirs. Not for what can be found out, nor for leave to run a command.',
    parameters: {
      type: 'object',
      properties: {
        question: { type: 'string', minLength: 1, maxLength: 10_000 },
        choices: {
          type: 'array',
          items: { type: 'string', minLength: 1, maxLength: 1_000 },
          maxItems: 4,
          description: 'Answers to choose from, the best first; leave it out for an open question',
        },
      },
      required: ['question'],
    },
    checkAvailability: () =>
      askUser === undefined ? { isAvailable: false, reason: 'there is no user to ask' } : { isAvailable: true },
    async execute({ question, choices = [] }, { signal }) {
      const offered = choices.map((choice) => choice.trim()).filter((choice) => choice !== '');
      if (question.trim() === '') return toolError('invalid_args', 'question is empty.', { success: false });
      const asked = { question: question.trim(), choices: offered.length === 0 ? null : offered };
      const answer = await askUser?.(asked, { signal });
      if (answer === undefined || answer === null) {
        return toolError('not_available', 'There was no answer. Choose a sensible default and go on.');
      }
      return { question: asked.question, choices_offered: asked.choices, user_response: answer.trim() };
    },
  });
}
