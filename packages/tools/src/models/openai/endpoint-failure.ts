import {
  errorMessage,
  isJsonObject,
  ModelError,
  parseJson,
  redactSecrets,
  type Secret,
  truncateText,
} from '@talaria/core';

/** What went wrong with one request, before it is explained. */
export type EndpointProblem =
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly bodyText: string;
      readonly retryAfterMs?: number | undefined;
    }
  | { readonly kind: 'connection'; readonly cause: unknown }
  | { readonly kind: 'too-large'; readonly maxBytes: number }
  | { readonly kind: 'unreadable'; readonly detail: string };

/** Carries an {@link EndpointProblem} from where it is seen to where it is explained. Never leaves this folder. */
export class EndpointFailure extends Error {
  readonly problem: EndpointProblem;

  constructor(problem: EndpointProblem) {
    super(problem.kind);
    this.name = 'EndpointFailure';
    this.problem = problem;
  }
}

/** Statuses after which the same request may be sent again. */
export function isPassingStatus(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

/** The error that the caller gets. The key is taken out of everything that the endpoint said. */
export function explainProblem(problem: EndpointProblem, baseUrl: string, apiKey: Secret | null): ModelError {
  const { code, hint, message, retryable, status } = explain(problem, baseUrl);
  const redact = (text: string): string => (apiKey === null ? text : redactSecrets(text, [apiKey]));
  return new ModelError(redact(message), { code, hint, retryable, status });
}

interface Explanation {
  readonly code: `model.${string}`;
  readonly message: string;
  readonly hint: string;
  readonly retryable: boolean;
  readonly status?: number;
}

function explain(problem: EndpointProblem, baseUrl: string): Explanation {
  switch (problem.kind) {
    case 'refused':
      return explainStatus(problem.status, problem.bodyText, baseUrl);
    case 'connection':
      return {
        code: 'model.connection',
        message: `No answer from ${baseUrl} (${deepestMessage(problem.cause)})`,
        hint: 'Check that a server answers there and that the base URL, with its port and path, is right.',
        retryable: true,
      };
    case 'too-large':
      return {
        code: 'model.bad-response',
        message: `The answer of ${baseUrl} is larger than ${problem.maxBytes} bytes`,
        hint: 'Ask for less, or raise maxAnswerBytes.',
        retryable: false,
      };
    case 'unreadable':
      return {
        code: 'model.bad-response',
        message: `The answer of ${baseUrl} cannot be read: ${problem.detail}`,
        hint: "Check that the endpoint speaks OpenAI's format and that the base URL is right.",
        retryable: false,
      };
  }
}

function explainStatus(status: number, bodyText: string, baseUrl: string): Explanation {
  const said = serverMessage(bodyText);
  const message = `${baseUrl} answered with status ${status}${said === '' ? '' : `: ${truncateText(said, 300)}`}`;
  const known = { message, status, retryable: isPassingStatus(status) };
  if (status === 401) return { ...known, code: 'model.unauthorized', hint: 'Check the key.' };
  if (status === 403) return { ...known, code: 'model.forbidden', hint: 'Check what the key may use.' };
  if (status === 404)
    return { ...known, code: 'model.not-found', hint: 'Check the base URL and the name of the model.' };
  if (status === 429) return { ...known, code: 'model.rate-limited', hint: 'Wait, or check the quota of the key.' };
  if (status === 408) return { ...known, code: 'model.timeout', hint: 'Ask for less, or try again.' };
  if (status >= 500) return { ...known, code: 'model.server-error', hint: 'Try again later.' };
  return { ...known, code: 'model.bad-request', hint: 'The message of the endpoint says what it refuses.' };
}

/** What the endpoint said, in the place where these endpoints say it; a web page says nothing. */
function serverMessage(bodyText: string): string {
  const parsed = parseJson(bodyText);
  if (!parsed.ok) return /^\s*</.test(bodyText) ? '' : bodyText.trim();
  if (!isJsonObject(parsed.value)) return '';
  const { error, message } = parsed.value;
  if (isJsonObject(error) && typeof error['message'] === 'string') return error['message'];
  if (typeof error === 'string') return error;
  return typeof message === 'string' ? message : '';
}

function deepestMessage(error: unknown): string {
  let current = error;
  for (let depth = 0; depth < 8; depth += 1) {
    const inner = typeof current === 'object' && current !== null && 'cause' in current ? current.cause : undefined;
    if (inner === undefined || inner === null) break;
    current = inner;
  }
  return truncateText(errorMessage(current), 200);
}
