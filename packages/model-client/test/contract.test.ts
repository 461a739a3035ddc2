import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from '@jest/globals';
import type { JsonValue } from '@talaria/core';
import { createScriptedServer, type ServerAnswer } from '@talaria/testing-services';
import { type ChatModelContractCase, chatModelContract } from '../src/contract/index.ts';
import type { ChatModel } from '../src/index.ts';
import { createOpenAiModel } from '../src/openai/index.ts';
import { openReplayModel, recordModel } from '../src/replay/index.ts';
import { type ScriptedTurn, scriptedModel } from '../src/testing/index.ts';

interface Backend {
  readonly hasDelay: boolean;
  readonly open: (entry: ChatModelContractCase) => Promise<ChatModel>;
}

const backends: Readonly<Record<string, Backend>> = {
  scripted: { hasDelay: true, open: async (entry) => scriptedModel(entry.turns) },
  openai: { hasDelay: true, open: openOnServer },
  'recording of openai': {
    hasDelay: true,
    open: async (entry) =>
      withFolder(async (folder) => recordModel(await openOnServer(entry), join(folder, 'exchanges.jsonl'))),
  },
  replay: {
    hasDelay: false,
    open: (entry) => withFolder((folder) => openRecorded(entry, join(folder, 'exchanges.jsonl'))),
  },
};

describe.each(Object.entries(backends))('%s', (_name, backend) => {
  const cases = chatModelContract.filter((entry) => backend.hasDelay || !entry.needsDelay);
  test.each(cases.map((entry) => [entry.name, entry] as const))('%s', (_case, entry) =>
    entry.run(() => backend.open(entry)),
  );
});

async function openOnServer(entry: ChatModelContractCase): Promise<ChatModel> {
  const server = await createScriptedServer();
  server.enqueue(...entry.turns.map(toServerAnswer));
  const model = await createOpenAiModel({ model: 'scripted', baseUrl: server.baseUrl, apiKey: null, maxRetries: 0 });
  return owning(model, async () => server[Symbol.asyncDispose]());
}

async function openRecorded(entry: ChatModelContractCase, path: string): Promise<ChatModel> {
  const recording = await recordModel(scriptedModel(entry.turns), path);
  for (const request of entry.requests) await recording.complete(request);
  await recording[Symbol.asyncDispose]();
  return openReplayModel(path);
}

async function withFolder(open: (folder: string) => Promise<ChatModel>): Promise<ChatModel> {
  const folder = await mkdtemp(join(tmpdir(), 'talaria-contract-'));
  return owning(await open(folder), () => rm(folder, { recursive: true, force: true }));
}

/** The model, and something that goes when it goes. */
function owning(model: ChatModel, release: () => Promise<void>): ChatModel {
  return {
    name: model.name,
    complete: (request, options) => model.complete(request, options),
    stream: (request, options) => model.stream(request, options),
    async [Symbol.asyncDispose]() {
      await model[Symbol.asyncDispose]();
      await release();
    },
  };
}

function toServerAnswer(turn: ScriptedTurn): ServerAnswer {
  const { usage, toolCalls } = turn;
  return {
    content: turn.content,
    reasoning: turn.reasoning,
    toolCalls: toolCalls?.map((call) => ({
      name: call.name,
      id: call.id,
      arguments: typeof call.arguments === 'string' ? call.arguments : jsonText(call.arguments),
    })),
    finishReason: turn.finishReason,
    usage:
      usage === undefined
        ? undefined
        : {
            prompt_tokens: usage.promptTokens,
            completion_tokens: usage.completionTokens,
            total_tokens: usage.promptTokens + usage.completionTokens,
          },
    delayMs: turn.delayMs,
  };
}

function jsonText(value: unknown): JsonValue {
  return JSON.stringify(value);
}
