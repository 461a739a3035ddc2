export type { MixtureModels } from './mixture-tool.ts';
export { createModelTools, type ModelToolsOptions } from './model-tools.ts';
export type { OpenAiEndpointOptions } from './openai/endpoint-options.ts';
export { createOpenAiImageModel, type OpenAiImageModelOptions } from './openai/openai-image-model.ts';
export { createOpenAiToolModel, type OpenAiToolModelOptions } from './openai/openai-tool-model.ts';
export type {
  FetchBytes,
  FetchedBytes,
  GeneratedImage,
  ImageAnswer,
  ImageAspectRatio,
  ImageModel,
  ImageRequest,
  ToolModel,
} from './ports.ts';
