import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const packageJson: { readonly exports: object } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);

const expected: Readonly<Record<string, readonly string[]>> = {
  '.': [
    'ParserError',
    'UnrenderableError',
    'createAnswerParser',
    'createChunkMapper',
    'createParserRegistry',
    'createReasoningParser',
    'detectFormat',
    'detectFormats',
    'foldAnswerEvents',
    'foldEvents',
    'getParser',
    'getReasoningParser',
    'listParsers',
    'listReasoningParsers',
    'parsers',
    'reasoningParsers',
    'splitReasoning',
    'startsInReasoning',
    'toChatCompletion',
  ],
  './apertus': ['apertus'],
  './cohere_command4': ['cohereCommand4'],
  './contract': ['ContractFailure', 'readToolCallVectors', 'toolCallParserContract'],
  './deepseek_v3': ['deepseekV3'],
  './deepseek_v32': ['deepseekV32'],
  './deepseek_v3_1': ['deepseekV31'],
  './deepseek_v4': ['deepseekV4'],
  './detect': ['detectFormat', 'detectFormats'],
  './ernie45': ['ernie45'],
  './functiongemma': ['functiongemma'],
  './gemma4': ['gemma4'],
  './gigachat3': ['gigachat3'],
  './glm45': ['glm45'],
  './glm47': ['glm47'],
  './gpt_oss': ['gptOss'],
  './granite': ['granite'],
  './granite-20b-fc': ['granite20bFc'],
  './granite4': ['granite4'],
  './hermes': ['hermes'],
  './hunyuan_a13b': ['hunyuanA13b'],
  './hy_v3': ['hyV3'],
  './internlm': ['internlm'],
  './jamba': ['jamba'],
  './kimi_k2': ['kimiK2'],
  './kimi_k3': ['kimiK3'],
  './lfm2': ['lfm2'],
  './llama3_json': ['llama3Json'],
  './llama4_json': ['llama4Json'],
  './llama4_pythonic': ['llama4Pythonic'],
  './longcat': ['longcat'],
  './minicpm5': ['minicpm5'],
  './minimax': ['minimax'],
  './minimax_m2': ['minimaxM2'],
  './minimax_m3': ['minimaxM3'],
  './mistral': ['mistral', 'toMistralId'],
  './olmo3': ['olmo3'],
  './openai': ['createChunkMapper', 'toChatCompletion'],
  './phi4_mini_json': ['phi4MiniJson'],
  './pythonic': ['pythonic'],
  './qwen': ['qwen'],
  './qwen3_coder': ['qwen3Coder'],
  './qwen3_xml': ['qwen3Xml'],
  './reasoning': [
    'createAnswerParser',
    'createReasoningParser',
    'createReasoningParserRegistry',
    'foldAnswerEvents',
    'getReasoningParser',
    'listReasoningParsers',
    'reasoningParsers',
    'splitReasoning',
    'startsInReasoning',
  ],
  './seed_oss': ['seedOss'],
  './step3': ['step3'],
  './xlam': ['xlam'],
};

test('the entry points are these', () => {
  expect(Object.keys(packageJson.exports).filter((entry) => entry !== './package.json')).toEqual(Object.keys(expected));
});

test.each(Object.entries(expected))('%s exports these names', async (entry, names) => {
  const exported: object = await import(`@talaria/tool-call-parsers${entry.slice(1)}`);
  expect(Object.keys(exported).sort()).toEqual([...names].sort());
});

test('nothing is depended on, and nothing of Node is used', () => {
  expect(Object.keys(packageJson)).not.toContain('dependencies');
  expect(Object.keys(packageJson)).not.toContain('peerDependencies');
  const root = new URL('../src/', import.meta.url);
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!\.test|-d)\.ts$/.test(file),
  );
  expect(files.length).toBeGreaterThan(20);
  for (const file of files) {
    const imports = readFileSync(new URL(file, root), 'utf8').match(/from '[^']+'/g) ?? [];
    expect(imports.filter((line) => !/from '\.\.?\//.test(line))).toEqual([]);
  }
});
