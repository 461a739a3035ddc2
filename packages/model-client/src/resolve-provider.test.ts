import { describe, expect, test } from '@jest/globals';
import { providers, resolveProvider } from './index.ts';

describe('resolveProvider', () => {
  test.each([
    ['gpt-4.1-mini', 'https://api.openai.com/v1', 'gpt-4.1-mini', 'OPENAI_API_KEY'],
    ['openai/gpt-4.1-mini', 'https://api.openai.com/v1', 'gpt-4.1-mini', 'OPENAI_API_KEY'],
    [
      'openrouter/anthropic/claude-sonnet-4.5',
      'https://openrouter.ai/api/v1',
      'anthropic/claude-sonnet-4.5',
      'OPENROUTER_API_KEY',
    ],
    ['ollama/qwen3:8b', 'http://127.0.0.1:11434/v1', 'qwen3:8b', null],
    ['vllm/Qwen/Qwen3-8B', 'http://127.0.0.1:8000/v1', 'Qwen/Qwen3-8B', null],
    ['OLLAMA/qwen3', 'http://127.0.0.1:11434/v1', 'qwen3', null],
  ])('reads %s', (name, baseUrl, modelName, apiKeyVariable) => {
    expect(resolveProvider(name)).toMatchObject({
      baseUrl,
      modelName,
      apiKeyVariable,
      needsKey: apiKeyVariable !== null,
    });
  });

  test.each([
    ['openai/gpt-oss-20b', 'http://127.0.0.1:8000/v1/', 'openai/gpt-oss-20b', 'http://127.0.0.1:8000/v1', null, false],
    ['Qwen/Qwen3-8B', 'https://gpu.example/v1', 'Qwen/Qwen3-8B', 'https://gpu.example/v1', 'OPENAI_API_KEY', false],
    [
      'vllm/Qwen/Qwen3-8B',
      'https://gpu.example/v1',
      'Qwen/Qwen3-8B',
      'https://gpu.example/v1',
      'OPENAI_API_KEY',
      false,
    ],
    ['x/y', 'https://openrouter.ai/api/v1', 'x/y', 'https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY', true],
  ])('sends %s to %s when told to', (name, baseUrl, modelName, resolvedUrl, apiKeyVariable, needsKey) => {
    expect(resolveProvider(name, { baseUrl })).toMatchObject({
      modelName,
      baseUrl: resolvedUrl,
      apiKeyVariable,
      needsKey,
    });
  });

  test('names the nearest provider for an unknown one', () => {
    expect(() => resolveProvider('olama/qwen3')).toThrow(
      expect.objectContaining({
        code: 'config.unknown-provider',
        hint: 'Did you mean "ollama/qwen3"? For a server of your own, give its base URL.',
      }),
    );
    expect(() => resolveProvider('Qwen/Qwen3-8B')).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('Known providers: openai, openrouter') }),
    );
  });

  test.each(['', 'openai/', '/'])('refuses the empty name "%s"', (name) => {
    expect(() => resolveProvider(name)).toThrow(expect.objectContaining({ code: 'config.invalid' }));
  });

  test.each(['localhost:8000', 'ftp://x/v1', 'not a url'])('refuses the base URL "%s"', (baseUrl) => {
    expect(() => resolveProvider('m', { baseUrl })).toThrow(
      expect.objectContaining({ code: 'config.invalid', message: expect.stringContaining(baseUrl) }),
    );
  });

  test('knows each provider by one prefix, with a URL that has no slash at its end', () => {
    expect(new Set(providers.map((provider) => provider.prefix)).size).toBe(providers.length);
    for (const provider of providers) expect(new URL(provider.baseUrl).href).toBe(provider.baseUrl);
  });
});
