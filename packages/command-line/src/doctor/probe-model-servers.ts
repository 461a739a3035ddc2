import { isAbortOf, isJsonObject, mapConcurrent, openDeadline, parseJson, quoteShell } from '@talaria/core';
import type { Host } from '../host.ts';

/** A model server that people run on their own machine. */
export interface LocalModelServer {
  readonly name: string;
  /** Without a slash at the end; `/models` is asked below it. */
  readonly baseUrl: string;
}

/** The servers that `doctor` looks for, at the addresses that they have when nothing else is configured. */
export const localModelServers: readonly LocalModelServer[] = [
  { name: 'Ollama', baseUrl: 'http://127.0.0.1:11434/v1' },
  { name: 'vLLM', baseUrl: 'http://127.0.0.1:8000/v1' },
  { name: 'llama.cpp', baseUrl: 'http://127.0.0.1:8080/v1' },
  { name: 'LM Studio', baseUrl: 'http://127.0.0.1:1234/v1' },
  { name: 'SGLang', baseUrl: 'http://127.0.0.1:30000/v1' },
];

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
  const words = ['talaria', 'run', 'terminal-test', '--base-url', server.baseUrl, '--model', model ?? ''];
  return { ...server, status: 'answers', models, command: model === undefined ? null : quoteShell(words) };
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
