import { errorMessage, isAbortOf, isJsonObject, openDeadline, parseJson, type Secret } from '@talaria/core';
import type { Host } from './host.ts';

/** What became of asking a server for its models. */
export type ListedModels =
  | { readonly kind: 'models'; readonly models: readonly string[] }
  /** It wants a key, or another one. */
  | { readonly kind: 'refused'; readonly status: number }
  /** Something answers there, but not with a list of models. */
  | { readonly kind: 'other'; readonly status: number }
  | { readonly kind: 'silent'; readonly reason: string };

/** Options of {@link listModels}. */
export interface ListModelsOptions {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly apiKey?: Secret | null | undefined;
  /** Longest time to wait for the whole answer. */
  readonly timeoutMs: number;
}

/** A list of models is shorter; what is longer is something else. */
const maxAnswerBytes = 4_194_304;

/** Asks a server for its models, once. */
export async function listModels(host: Host, options: ListModelsOptions): Promise<ListedModels> {
  const { baseUrl, apiKey = null, timeoutMs } = options;
  using deadline = openDeadline(host.clock, timeoutMs, undefined);
  try {
    const response = await fetch(`${baseUrl}/models`, {
      signal: deadline.signal,
      // A key must not follow to another server.
      redirect: 'error',
      headers: apiKey === null ? {} : { authorization: `Bearer ${apiKey.reveal()}` },
    });
    const { status } = response;
    const text = response.ok ? await readLimited(response) : null;
    if (!response.ok) await response.body?.cancel();
    if (status === 401 || status === 403) return { kind: 'refused', status };
    const models = text === null ? null : readModelIds(text);
    return models === null ? { kind: 'other', status } : { kind: 'models', models };
  } catch (error) {
    if (isAbortOf(error, deadline.signal)) return { kind: 'silent', reason: `no answer within ${timeoutMs} ms` };
    // A refused connection is a TypeError whose cause depends on the system; whatever it was, nobody serves there.
    if (!isFetchFailure(error)) throw error;
    return { kind: 'silent', reason: errorMessage(error.cause ?? error) };
  }
}

function isFetchFailure(error: unknown): error is { readonly cause?: unknown } {
  return typeof error === 'object' && error !== null && 'name' in error && error.name === 'TypeError';
}

async function readLimited(response: Response): Promise<string | null> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxAnswerBytes) return null;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function readModelIds(text: string): readonly string[] | null {
  const answer = parseJson(text);
  if (!answer.ok || !isJsonObject(answer.value) || !Array.isArray(answer.value['data'])) return null;
  return answer.value['data'].flatMap((entry) =>
    isJsonObject(entry) && typeof entry['id'] === 'string' ? [entry['id']] : [],
  );
}
