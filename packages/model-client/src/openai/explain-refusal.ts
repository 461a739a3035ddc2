import { isJsonObject, type JsonObject, type JsonValue, parseJson, truncateText } from '@talaria/core';
import { providerAt } from '../resolve-provider.ts';
import type { Explanation, ProblemContext } from './explanation.ts';

/** What a server said about an error. */
interface ServerError {
  readonly text: string;
  readonly code: string;
}

/** Explains an error status, or an error inside an answer. */
export function explainRefusal(status: number | null, bodyText: string, context: ProblemContext): Explanation {
  const said = readServerError(bodyText);
  const { code, hint, retryable, what } = classify(status, said, context);
  const told = said.text === '' ? '' : `: ${truncateText(said.text, 300)}`;
  const where = status === null ? 'reported in the answer' : `status ${status}`;
  return {
    code,
    message: `${context.baseUrl} ${what} (${where})${told}`,
    hint,
    retryable,
    ...(status === null ? {} : { status }),
    bodyText,
  };
}

/** Whether a status is one of those after which the request is sent again: 408, 409, 429, 5xx, but not a used-up quota. */
export function isRepeatableStatus(status: number | null, bodyText: string): boolean {
  if (status === null || isQuota(status, readServerError(bodyText))) return false;
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

interface Classification {
  readonly code: `model.${string}`;
  /** Completes the sentence that begins with the endpoint. */
  readonly what: string;
  readonly hint: string;
  readonly retryable: boolean;
}

function classify(status: number | null, said: ServerError, context: ProblemContext): Classification {
  const { model } = context;
  if (status === 401) return wrongKey(context);
  if (isQuota(status, said)) {
    return {
      code: 'model.quota-exceeded',
      what: 'refused: the account has no credit left',
      hint: `Add credit to the account of ${keyName(context)}, or use another model.`,
      retryable: false,
    };
  }
  if (isContextOverflow(status, said)) {
    return {
      code: 'model.context-overflow',
      what: `refused: the conversation is too long for "${model}"`,
      hint: 'Shorten the conversation, lower maxTokens, or use a model (or start the server) with a longer context.',
      retryable: false,
    };
  }
  if (/content_?(?:filter|policy)|content management policy/i.test(`${said.code} ${said.text}`)) {
    return {
      code: 'model.content-filter',
      what: 'refused: its content filter stopped the request',
      hint: 'Change the messages, or use a provider without this filter.',
      retryable: false,
    };
  }
  return classifyByStatus(status, context);
}

function classifyByStatus(status: number | null, context: ProblemContext): Classification {
  const { model } = context;
  switch (status) {
    case 403:
      return {
        code: 'model.forbidden',
        what: `forbids the use of "${model}"`,
        hint: `Check that ${keyName(context)} may use this model, and that your region is served.`,
        retryable: false,
      };
    case 404:
      return {
        code: 'model.not-found',
        what: `does not know the model "${model}", or the path`,
        hint: `Check the name against ${context.baseUrl.replace(/\/+$/, '')}/models, and the base URL (most end with /v1).`,
        retryable: false,
      };
    case 429:
      return {
        code: 'model.rate-limited',
        what: 'has had too many requests',
        hint: 'Lower the number of concurrent requests, or ask the provider for a higher limit.',
        retryable: true,
      };
    case 503:
    case 529:
      return {
        code: 'model.overloaded',
        what: 'is overloaded or still starting',
        hint: 'Wait and run again, or lower the number of concurrent requests.',
        retryable: true,
      };
    default:
      if (status !== null && status < 500 && status !== 408 && status !== 409) {
        return {
          code: 'model.bad-request',
          what: 'refused the request',
          hint: `Check the options against what "${model}" accepts here; the message says which one it refuses.`,
          retryable: false,
        };
      }
      return {
        code: 'model.server-error',
        what: 'failed',
        hint: 'The fault is on the side of the server: look at its log, or run again later.',
        retryable: true,
      };
  }
}

function wrongKey(context: ProblemContext): Classification {
  const isGiven = context.apiKey !== null;
  return {
    code: 'model.unauthorized',
    what: isGiven ? `refused the key of ${keyName(context)}` : 'asks for a key, and none was given',
    hint: isGiven
      ? `Check that ${keyName(context)} holds a valid key for this endpoint.`
      : `Set ${keyName(context)} to a key for this endpoint.`,
    retryable: false,
  };
}

function keyName(context: ProblemContext): string {
  return context.apiKey?.name ?? providerAt(context.baseUrl)?.apiKeyVariable ?? 'OPENAI_API_KEY';
}

function isQuota(status: number | null, said: ServerError): boolean {
  return status === 402 || said.code === 'insufficient_quota' || said.code === 'billing_hard_limit_reached';
}

/** Servers agree on no code for this; the words are those of OpenAI, vLLM, SGLang, llama.cpp, Anthropic and Google. */
const overflowWords =
  /context[ _](?:length|window|size)|(?:prompt|input|request|conversation) (?:is|are) too (?:long|large)|too many (?:input )?tokens|exceeds? (?:the )?(?:available |maximum |model's )?(?:context|input token|number of tokens)|input token count|longer than the model/i;

function isContextOverflow(status: number | null, said: ServerError): boolean {
  if (status === 413) return true;
  if (/context_length_exceeded|exceed_context_size|model_context_window_exceeded/.test(said.code)) return true;
  return (status === 400 || status === 422 || status === null) && overflowWords.test(said.text);
}

/** Reads `{ error: { message, code | type } }` and what servers send in its place. */
function readServerError(bodyText: string): ServerError {
  const parsed = parseJson(bodyText);
  if (!parsed.ok || !isJsonObject(parsed.value)) return { text: bodyText.trim(), code: '' };
  const body = parsed.value;
  const inner: JsonObject = isJsonObject(body['error']) ? body['error'] : body;
  const text = [inner['message'], body['error'], body['detail'], body['message']].find(isPresent);
  const code = [inner['code'], inner['type']].find((value) => typeof value === 'string' && value !== '');
  return { text: asText(text ?? bodyText), code: asText(code ?? '') };
}

function isPresent(value: JsonValue | undefined): value is JsonValue {
  return value !== undefined && value !== null && value !== '';
}

function asText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
