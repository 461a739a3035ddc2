import type { Clock } from '@talaria/core';
import { Secret } from '@talaria/core';
import { createScriptedServer, type ScriptedServer, type ScriptedServerOptions } from '@talaria/testing-services';
import type { ChatModel, ChatRequest, ChatStreamEvent } from '../src/index.ts';
import { createOpenAiModel, type OpenAiModelOptions } from '../src/openai/index.ts';

export const question: ChatRequest = { messages: [{ role: 'user', content: 'Say something.' }] };

export const apiKey = new Secret('TEST_KEY', 'sk-test-0123456789abcdef');

/** A clock on which every wait is over at once, and that remembers the waits. */
export interface HastyClock extends Clock {
  readonly waitsMs: readonly number[];
}

export function createHastyClock(): HastyClock {
  const waitsMs: number[] = [];
  let elapsedMs = 0;
  return {
    waitsMs,
    now: () => Date.UTC(2026, 0, 1) + elapsedMs,
    monotonicMs: () => elapsedMs,
    async sleep(durationMs, options = {}) {
      options.signal?.throwIfAborted();
      waitsMs.push(durationMs);
      elapsedMs += durationMs;
    },
    // Only deadlines are scheduled, and nothing takes that long here.
    schedule: () => () => undefined,
  };
}

export interface ModelOnServer extends AsyncDisposable {
  readonly server: ScriptedServer;
  readonly model: ChatModel;
}

/** A server and a model that talks to it. */
export async function openModelOnServer(
  modelOptions: Partial<OpenAiModelOptions> = {},
  serverOptions: ScriptedServerOptions = {},
): Promise<ModelOnServer> {
  const server = await createScriptedServer(serverOptions);
  const model = await createOpenAiModel({
    model: 'test-model',
    baseUrl: server.baseUrl,
    apiKey,
    random: () => 0.5,
    ...modelOptions,
  });
  return {
    server,
    model,
    async [Symbol.asyncDispose]() {
      await model[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Reads a stream to its end. */
export async function readStream(model: ChatModel, signal?: AbortSignal): Promise<ChatStreamEvent[]> {
  const events: ChatStreamEvent[] = [];
  for await (const event of model.stream(question, { signal })) events.push(event);
  return events;
}

/** The same question, asked both ways. */
export const waysToAsk = [
  ['complete', (model: ChatModel, signal?: AbortSignal) => model.complete(question, { signal })],
  ['stream', (model: ChatModel, signal?: AbortSignal) => readStream(model, signal)],
] as const;
