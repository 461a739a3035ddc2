import { assertNever, errorMessage, ModelError, redactSecrets, systemErrorCode, truncateText } from '@talaria/core';
import { providerAt } from '../resolve-provider.ts';
import type { Problem } from './answer-problem.ts';
import { explainRefusal, isRepeatableStatus } from './explain-refusal.ts';
import type { Explanation, ProblemContext } from './explanation.ts';

/** Longest excerpt of a body in an error. */
const maxExcerptChars = 500;

/** The error that the caller gets. Secrets are taken out of everything that the endpoint said. */
export function explainProblem(problem: Problem, context: ProblemContext): ModelError {
  const { attempts, hasGivenOut, requestId } = context;
  const { bodyText, cause, code, hint, message, retryable, status } = explain(problem, context);
  return new ModelError(redact(message, context), {
    code,
    hint,
    // What was given out cannot be taken back, so the same call would tell its beginning twice.
    retryable: retryable && !hasGivenOut,
    status,
    attempts,
    requestId: (problem.kind === 'refused' ? problem.requestId : undefined) ?? requestId ?? undefined,
    ...(bodyText === undefined ? {} : { bodyExcerpt: truncateText(redact(bodyText, context), maxExcerptChars) }),
    ...(cause === undefined ? {} : { cause }),
  });
}

/** Whether the client itself sends the request again (decisions 27): never where the answer was paid for. */
export function isRepeatable(problem: Problem): boolean {
  if (problem.kind === 'refused') return isRepeatableStatus(problem.status, problem.bodyText);
  return problem.kind === 'connection' || problem.kind === 'unfinished';
}

/** The error of a request that took longer than its time-out. */
export function timeoutError(timeoutMs: number, context: ProblemContext): ModelError {
  return new ModelError(`${context.baseUrl} did not finish its answer within ${timeoutMs} ms`, {
    code: 'model.timeout',
    hint: 'Raise the time-out, lower the number of concurrent requests, or ask for fewer tokens.',
    retryable: !context.hasGivenOut,
    attempts: context.attempts,
    requestId: context.requestId ?? undefined,
  });
}

function redact(text: string, context: ProblemContext): string {
  return context.apiKey === null ? text : redactSecrets(text, [context.apiKey]);
}

function explain(problem: Problem, context: ProblemContext): Explanation {
  const { baseUrl } = context;
  switch (problem.kind) {
    case 'refused':
      return explainRefusal(problem.status, problem.bodyText, context);
    case 'connection':
      return explainConnection(problem.cause, baseUrl);
    case 'unfinished':
      return {
        code: 'model.connection',
        message: `The answer of ${baseUrl} was cut: ${problem.detail}`,
        hint: 'The server or a proxy before it ended the answer early: look at its log and its time limits.',
        retryable: true,
      };
    case 'html':
      return {
        code: 'model.bad-response',
        message: `${baseUrl} answered with a web page, not with a chat completion`,
        hint: wrongUrlHint(baseUrl),
        retryable: false,
        status: 200,
        bodyText: problem.bodyText,
      };
    case 'unreadable':
      return {
        code: 'model.bad-response',
        message: `The answer of ${baseUrl} cannot be read: ${problem.detail}`,
        hint: 'Check that the endpoint speaks the OpenAI chat-completions format; the excerpt shows what it sent.',
        retryable: true,
        status: 200,
        bodyText: problem.bodyText,
      };
    case 'empty':
      return {
        code: 'model.empty-response',
        message: `${baseUrl} answered without any choice`,
        hint: 'Providers do this when they are overloaded or filter silently: try again, or another model.',
        retryable: true,
        status: 200,
        bodyText: problem.bodyText,
      };
    case 'too-large':
      return {
        code: 'model.bad-response',
        message: `The answer of ${baseUrl} is larger than ${problem.maxBytes} bytes`,
        hint: 'Limit the answer with maxTokens, or raise maxAnswerBytes.',
        retryable: false,
        status: 200,
      };
    default:
      return assertNever(problem);
  }
}

function explainConnection(cause: unknown, baseUrl: string): Explanation {
  const reason = deepestCause(cause);
  const systemCode = systemErrorCode(reason);
  const detail = `${systemCode === undefined ? '' : `${systemCode}: `}${errorMessage(reason)}`;
  // `fetch` refuses some ports (1, 9, 25, …) before it connects.
  const isForbiddenPort = errorMessage(reason) === 'bad port';
  const isUnreached = isForbiddenPort || (systemCode !== undefined && unreachedCodes.has(systemCode));
  return {
    code: 'model.connection',
    message: `${isUnreached ? 'Cannot reach' : 'The connection broke to'} ${baseUrl} (${detail})`,
    hint: isUnreached ? unreachableHint(baseUrl) : 'Look at the log of the server, or of a proxy before it.',
    retryable: true,
    cause,
  };
}

/** Codes of connections that never came about. */
const unreachedCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);

function unreachableHint(baseUrl: string): string {
  const provider = providerAt(baseUrl);
  if (provider?.startCommand !== undefined) {
    return `Start ${provider.title} with "${provider.startCommand}", or give the base URL of the server that runs.`;
  }
  return `Check that a server answers at ${baseUrl} and that the base URL, with its port and path, is right.`;
}

function wrongUrlHint(baseUrl: string): string {
  const { pathname } = new URL(baseUrl);
  const isVersioned = /\/v\d/.test(pathname);
  return isVersioned
    ? `The base URL ${baseUrl} is not that of an OpenAI-compatible API; check its host, port and path.`
    : `The base URL is probably wrong; try ${baseUrl.replace(/\/+$/, '')}/v1.`;
}

function deepestCause(error: unknown): unknown {
  let current = error;
  for (let depth = 0; depth < 8; depth += 1) {
    // Several addresses were tried: each has its error.
    const inner =
      typeof current === 'object' && current !== null
        ? 'errors' in current && Array.isArray(current.errors)
          ? current.errors[0]
          : 'cause' in current
            ? current.cause
            : undefined
        : undefined;
    if (inner === undefined || inner === null) return current;
    current = inner;
  }
  return current;
}
