import { isJsonObject, type JsonObject, type JsonValue, parseJson, type Usage } from '@talaria/core';
import { AnswerProblem } from './answer-problem.ts';
import { readText } from './read-body.ts';

/** An answer as the endpoint sent it, whole or put together from a stream, before it is normalised. */
export interface RawAnswer {
  readonly message: JsonObject;
  readonly rawFinishReason: string | null;
  readonly usage: Usage | null;
  /** `null` where the endpoint named none. */
  readonly model: string | null;
}

/** Reads a whole answer. @throws AnswerProblem for anything that is none */
export async function readWholeAnswer(response: Response, maxBytes: number): Promise<RawAnswer> {
  if (isHtml(response)) throw new AnswerProblem({ kind: 'html', bodyText: await readText(response, maxBytes) });
  return decodeWholeAnswer(await readText(response, maxBytes));
}

/** Whether an answer says that it is a web page. */
export function isHtml(response: Response): boolean {
  return response.headers.get('content-type')?.includes('text/html') === true;
}

/** Decodes the body of a whole answer. @throws AnswerProblem for anything that is none */
export function decodeWholeAnswer(bodyText: string): RawAnswer {
  const body = parseObject(bodyText);
  throwReportedError(body, bodyText);
  const choices = body['choices'];
  if (!Array.isArray(choices)) {
    throw new AnswerProblem({ kind: 'unreadable', detail: 'it has no list "choices"', bodyText });
  }
  const [choice] = choices;
  if (choice === undefined) throw new AnswerProblem({ kind: 'empty', bodyText });
  const message = isJsonObject(choice) ? choice['message'] : undefined;
  if (!isJsonObject(choice) || !isJsonObject(message)) {
    throw new AnswerProblem({ kind: 'unreadable', detail: 'its first choice has no message', bodyText });
  }
  return {
    message,
    rawFinishReason: textOrNull(choice['finish_reason']),
    usage: decodeUsage(body['usage']),
    model: textOrNull(body['model']),
  };
}

/** Parses text that must be a JSON object. @throws AnswerProblem `html`, `unreadable` */
export function parseObject(bodyText: string): JsonObject {
  const parsed = parseJson(bodyText);
  if (parsed.ok && isJsonObject(parsed.value)) return parsed.value;
  if (/^\s*<(?:!doctype|html)/i.test(bodyText)) throw new AnswerProblem({ kind: 'html', bodyText });
  const detail = parsed.ok ? 'it is JSON, but no object' : parsed.message;
  throw new AnswerProblem({ kind: 'unreadable', detail, bodyText });
}

/** Some endpoints report an error in an answer with status 200. @throws AnswerProblem `refused` */
export function throwReportedError(body: JsonObject, bodyText: string): void {
  const { error } = body;
  if (error === undefined || error === null) return;
  const code = isJsonObject(error) ? error['code'] : undefined;
  const isStatus = typeof code === 'number' && code >= 400 && code <= 599;
  throw new AnswerProblem({ kind: 'refused', status: isStatus ? code : null, bodyText });
}

/** Usage as endpoints report it; `null` where there is none that can be read. */
export function decodeUsage(value: JsonValue | undefined): Usage | null {
  if (!isJsonObject(value)) return null;
  const promptTokens = count(value['prompt_tokens']);
  const completionTokens = count(value['completion_tokens']);
  if (promptTokens === undefined && completionTokens === undefined) return null;
  // DeepSeek reports its cache beside the other counts.
  const cached =
    count(fieldOf(value['prompt_tokens_details'], 'cached_tokens')) ?? count(value['prompt_cache_hit_tokens']);
  const reasoning = count(fieldOf(value['completion_tokens_details'], 'reasoning_tokens'));
  const known = { prompt_tokens: promptTokens ?? 0, completion_tokens: completionTokens ?? 0 };
  return {
    ...known,
    total_tokens: count(value['total_tokens']) ?? known.prompt_tokens + known.completion_tokens,
    ...(cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: cached } }),
    ...(reasoning === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoning } }),
  };
}

/** Text that is not empty, or null. */
export function textOrNull(value: JsonValue | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function fieldOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) ? value[name] : undefined;
}

function count(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
