import { isAbortOf, isJsonObject, mapConcurrent, openDeadline, parseJson, quoteShell } from '@talaria/core';
import { type Provider, providers } from '@talaria/model-client';
import type { Host } from '../host.ts';

/** A model server that people run on their own machine. */
export type LocalModelServer = Pick<Provider, 'prefix' | 'title' | 'baseUrl'>;

/** The servers that `doctor` looks for, at the addresses that they have when nothing else is configured. */
export const localModelServers: readonly LocalModelServer[] = providers.filter(
  ({ startCommand }) => startCommand !== undefined,
);

/** What became of asking a server for its models. */
export interface ModelServerFinding extends LocalModelServer {
  /** `other`: something answers there, but not with a list of models. */
  readonly status: 'answers' | 'silent' | 'other';
  readonly models: readonly string[];
  /** The one command that uses it; `null` where it offers no model. */
  readonly command: string | null;
}

/** Longest time that a server on the same machine may take. */
const probeTimeoutMs = 1_000;
/** A list of models is shorter; what is longer is something else. */
const maxAnswerBytes = 4_194_304;

/** Asks each server for its models, all at once. */
export async function probeModelServers(
  host: Host,
  servers: readonly LocalModelServer[] = localModelServers,
): Promise<readonly ModelServerFinding[]> {
  return mapConcurrent(servers, Math.max(1, servers.length), (server) => probeServer(host, server));
}

async function probeServer(host: Host, server: LocalModelServer): Promise<ModelServerFinding> {
  using deadline = openDeadline(host.clock, probeTimeoutMs, undefined);
  let text: string | null;
  try {
    const response = await fetch(`${server.baseUrl}/models`, { signal: deadline.signal, redirect: 'error' });
    text = response.ok ? await readLimited(response) : null;
    if (!response.ok) await response.body?.cancel();
  } catch (error) {
    // A refused connection is a TypeError whose cause depends on the system; whatever it was, nobody serves there.
    if (!isAbortOf(error, deadline.signal) && !isFetchFailure(error)) throw error;
    return { ...server, status: 'silent', models: [], command: null };
  }
  const models = text === null ? null : readModelIds(text);
  if (models === null) return { ...server, status: 'other', models: [], command: null };
  const [model] = models;
  const command = quoteShell(['talaria', 'run', 'terminal-test', '--model', `${server.prefix}/${model ?? ''}`]);
  return { ...server, status: 'answers', models, command: model === undefined ? null : command };
}

function isFetchFailure(error: unknown): boolean {
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
