import type { AssistantMessage, Usage } from '@talaria/core';
import { expectTypeOf } from 'expect-type';
import type { ChatCompletion, ChatModel, ChatStreamEvent } from './index.ts';
import type { createOpenAiModel, OpenAiModelOptions } from './openai/index.ts';
import type { openReplayModel, recordModel } from './replay/index.ts';
import type { ScriptedModel } from './testing/index.ts';

expectTypeOf<ScriptedModel>().toExtend<ChatModel>();
expectTypeOf<ReturnType<typeof createOpenAiModel>>().toEqualTypeOf<Promise<ChatModel>>();
expectTypeOf<ReturnType<typeof recordModel>>().toEqualTypeOf<Promise<ChatModel>>();
expectTypeOf<ReturnType<typeof openReplayModel>>().toEqualTypeOf<Promise<ChatModel>>();
expectTypeOf<ChatCompletion['message']>().toEqualTypeOf<AssistantMessage>();
expectTypeOf<ChatCompletion['usage']>().toEqualTypeOf<Usage | null>();
expectTypeOf<ChatCompletion['costUsd']>().toEqualTypeOf<number | null>();
expectTypeOf<Extract<ChatStreamEvent, { type: 'end' }>['completion']>().toEqualTypeOf<ChatCompletion>();

// @ts-expect-error: a key must be given as a Secret, or null said on purpose
export const withoutKey: OpenAiModelOptions = { model: 'm' };
// @ts-expect-error: a key as plain text would be seen in logs
export const plainKey: OpenAiModelOptions = { model: 'm', apiKey: 'sk-…' };
