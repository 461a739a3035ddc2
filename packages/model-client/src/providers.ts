/** An endpoint that speaks OpenAI's chat completions. */
export interface Provider {
  /** What stands before the first `/` of a model's name. */
  readonly prefix: string;
  /** Shown to people. */
  readonly title: string;
  readonly baseUrl: string;
  /** Environment variable that holds the key; `null` where none is needed. */
  readonly apiKeyVariable: string | null;
  /** How to start it, for servers on the user's own machine. */
  readonly startCommand?: string | undefined;
}

/*
 * From the providers' own documentation, November 2025:
 *   https://platform.openai.com/docs/api-reference     https://openrouter.ai/docs/api-reference/overview
 *   https://docs.claude.com/en/api/openai-sdk          https://ai.google.dev/gemini-api/docs/openai
 *   https://api-docs.deepseek.com                      https://docs.mistral.ai/api
 *   https://console.groq.com/docs/openai               https://docs.together.ai/docs/openai-api-compatibility
 *   https://docs.fireworks.ai/tools-sdks/openai-compatibility    https://docs.x.ai/docs/api-reference
 *   https://docs.ollama.com/openai                     https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html
 *   https://docs.sglang.ai/basic_usage/openai_api.html
 *   https://github.com/ggml-org/llama.cpp/tree/master/tools/server
 *   https://lmstudio.ai/docs/app/api/endpoints/openai
 */

/** Known endpoints; those on loopback have a `startCommand`. */
export const providers: readonly Provider[] = [
  {
    prefix: 'openai',
    title: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    apiKeyVariable: 'OPENAI_API_KEY',
  },
  {
    prefix: 'openrouter',
    title: 'OpenRouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    apiKeyVariable: 'OPENROUTER_API_KEY',
  },
  {
    prefix: 'anthropic',
    title: 'Anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    apiKeyVariable: 'ANTHROPIC_API_KEY',
  },
  {
    prefix: 'gemini',
    title: 'Google Gemini',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    apiKeyVariable: 'GEMINI_API_KEY',
  },
  {
    prefix: 'deepseek',
    title: 'DeepSeek',
    baseUrl: 'https://api.deepseek.com/v1',
    apiKeyVariable: 'DEEPSEEK_API_KEY',
  },
  {
    prefix: 'mistral',
    title: 'Mistral',
    baseUrl: 'https://api.mistral.ai/v1',
    apiKeyVariable: 'MISTRAL_API_KEY',
  },
  {
    prefix: 'groq',
    title: 'Groq',
    baseUrl: 'https://api.groq.com/openai/v1',
    apiKeyVariable: 'GROQ_API_KEY',
  },
  {
    prefix: 'together',
    title: 'Together AI',
    baseUrl: 'https://api.together.xyz/v1',
    apiKeyVariable: 'TOGETHER_API_KEY',
  },
  {
    prefix: 'fireworks',
    title: 'Fireworks AI',
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    apiKeyVariable: 'FIREWORKS_API_KEY',
  },
  {
    prefix: 'xai',
    title: 'xAI',
    baseUrl: 'https://api.x.ai/v1',
    apiKeyVariable: 'XAI_API_KEY',
  },
  {
    prefix: 'ollama',
    title: 'Ollama',
    baseUrl: 'http://127.0.0.1:11434/v1',
    apiKeyVariable: null,
    startCommand: 'ollama serve',
  },
  {
    prefix: 'vllm',
    title: 'vLLM',
    baseUrl: 'http://127.0.0.1:8000/v1',
    apiKeyVariable: null,
    startCommand: 'vllm serve MODEL --enable-auto-tool-choice --tool-call-parser PARSER',
  },
  {
    prefix: 'sglang',
    title: 'SGLang',
    baseUrl: 'http://127.0.0.1:30000/v1',
    apiKeyVariable: null,
    startCommand: 'python -m sglang.launch_server --model-path MODEL',
  },
  {
    prefix: 'llamacpp',
    title: 'llama.cpp',
    baseUrl: 'http://127.0.0.1:8080/v1',
    apiKeyVariable: null,
    startCommand: 'llama-server --jinja -m MODEL.gguf',
  },
  {
    prefix: 'lmstudio',
    title: 'LM Studio',
    baseUrl: 'http://127.0.0.1:1234/v1',
    apiKeyVariable: null,
    startCommand: 'lms server start',
  },
];
