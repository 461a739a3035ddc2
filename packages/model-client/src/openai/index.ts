export { createOpenAiModel } from './create-openai-model.ts';
export type { OpenAiModelOptions, ReasoningStyle } from './openai-options.ts';
