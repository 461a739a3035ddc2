import type { DetectionConfidence } from './detected-format.ts';

/** Which parsers a model name speaks for. */
export interface NameRule {
  /**
   * Words of which one must occur in the name, as `readNameWords` spells them: `qwen 3 coder`. `^` stands for the
   * beginning, `$` for the end.
   */
  readonly names: readonly string[];
  /** One of these must occur too. */
  readonly with?: readonly string[];
  /** None of these may occur. */
  readonly without?: readonly string[];
  /** The most fitting first. Empty for models whose format this package does not read: no later row is tried. */
  readonly parsers: readonly string[];
  readonly reasoning?: string;
  /** @default 'high' where the name begins with the words, else 'medium': it may be a derived model */
  readonly confidence?: DetectionConfidence;
}

/** Families that smaller models of others were distilled from, or into: there the teacher does not decide the format. */
const students = ['distill', 'distilled', 'qwen', 'llama', 'gemma', 'mistral', 'nemo', 'phi', 'granite', 'exaone'];

/** Sizes of the models that are published under the name of DeepSeek R1 and are distilled. */
const smallSizes = ['5b', '7b', '8b', '14b', '32b', '70b'];

/** One row per family of models. The first row that holds decides, so what is special stands before what is general. */
export const nameRules: readonly NameRule[] = [
  { names: ['embedding', 'embed', 'reranker', 'guard', 'guardian', 'asr', 'tts', 'reward'], parsers: [] },

  // Tuned for a format of their own, whatever they were made from.
  { names: ['hermes 2 pro', 'hermes 2 theta', 'hermes 3', 'hermes 4', 'deephermes 3'], parsers: ['hermes', 'qwen'] },
  { names: ['hermes'], parsers: [] },
  { names: ['xlam'], parsers: ['xlam'] },
  { names: ['toolace'], parsers: ['pythonic'] },
  { names: ['functiongemma'], parsers: ['functiongemma'] },
  { names: ['functionary', 'firefunction', 'tulu', 'mirothinker'], parsers: [] },
  { names: ['nemotron 3 nano', 'nemotron 3 super', 'nemotron 3 ultra'], parsers: ['qwen3_coder'], reasoning: 'qwen3' },
  { names: ['nemotron 70b instruct'], parsers: ['llama3_json'] },
  { names: ['nemotron orchestrator'], parsers: ['hermes', 'qwen'] },
  { names: ['nemotron'], parsers: [] },

  // Distilled: the model that learnt decides the format of calls, its teacher that of thinking.
  { names: ['distill llama', 'llama distill'], parsers: ['llama3_json'], reasoning: 'deepseek_r1', confidence: 'low' },
  {
    names: ['distill qwen', 'qwen distill', '0528 qwen 3'],
    parsers: ['qwen', 'hermes'],
    reasoning: 'deepseek_r1',
    confidence: 'low',
  },

  { names: ['deepseek v 4 1'], parsers: [] },
  { names: ['deepseek v 4'], without: students, parsers: ['deepseek_v4'], reasoning: 'deepseek_v3' },
  {
    names: ['deepseek v 3 2 exp', 'deepseek v 3 1'],
    without: students,
    parsers: ['deepseek_v3_1'],
    reasoning: 'deepseek_v3',
  },
  {
    names: ['deepseek v 3 2'],
    without: students,
    parsers: ['deepseek_v32'],
    reasoning: 'deepseek_v3',
  },
  { names: ['deepseek v 3'], without: students, parsers: ['deepseek_v3'] },
  {
    names: ['deepseek r 1'],
    without: [...students, ...smallSizes],
    parsers: ['deepseek_v3'],
    reasoning: 'deepseek_r1',
  },
  { names: ['kimi k 3'], without: students, parsers: ['kimi_k3'], reasoning: 'kimi_k3' },
  {
    names: ['kimi k 2 thinking', 'kimi k 2 5', 'kimi k 2 6', 'kimi k 2 7'],
    without: students,
    parsers: ['kimi_k2'],
    reasoning: 'kimi_k2',
  },
  { names: ['kimi k 2'], without: students, parsers: ['kimi_k2'] },
  { names: ['gpt oss'], without: students, parsers: ['gpt_oss'], reasoning: 'gpt_oss' },
  { names: ['glm 4 7', 'glm 5'], without: students, parsers: ['glm47', 'glm45'], reasoning: 'glm47' },
  { names: ['glm 4 5', 'glm 4 6'], without: students, parsers: ['glm45', 'glm47'], reasoning: 'glm45' },
  { names: ['laguna xs', 'laguna m'], parsers: ['glm47', 'glm45'] },
  { names: ['minimax m 3'], without: students, parsers: ['minimax_m3'] },
  { names: ['minimax m 2'], without: students, parsers: ['minimax_m2'], reasoning: 'minimax_m2' },
  { names: ['minimax m 1'], without: students, parsers: ['minimax'], reasoning: 'minimax_m2' },

  { names: ['longcat flash chat'], parsers: ['longcat'] },
  { names: ['hunyuan a 13b'], parsers: ['hunyuan_a13b'] },
  { names: ['^ hy 3', 'tencent hy 3'], parsers: ['hy_v3'], reasoning: 'qwen3' },
  { names: ['seed oss'], parsers: ['seed_oss'], reasoning: 'seed_oss' },
  { names: ['^ step 3 5', '^ step 3 7', 'ai step 3 5', 'ai step 3 7'], parsers: ['qwen3_coder'], reasoning: 'qwen3' },
  { names: ['^ step 3', 'ai step 3'], without: ['vl'], parsers: ['step3'] },
  { names: ['mimo v 2'], parsers: ['qwen3_coder'], reasoning: 'qwen3' },
  { names: ['internlm 2'], parsers: ['internlm'] },
  { names: ['intern s 1', 'interns 1'], parsers: ['internlm'], reasoning: 'qwen3' },
  { names: ['internlm 3'], parsers: ['internlm'], confidence: 'low' },
  { names: ['jamba 1', 'jamba large', 'jamba mini'], parsers: ['jamba'] },
  { names: ['granite 20b functioncalling', 'granite 20b fc'], parsers: ['granite-20b-fc'] },
  { names: ['granite 4'], parsers: ['granite4'] },
  { names: ['granite 3'], parsers: ['granite'] },
  { names: ['apertus'], parsers: ['apertus'] },
  {
    names: ['command a plus', 'command a reasoning', 'north mini code', 'north small translate'],
    parsers: ['cohere_command4'],
    reasoning: 'cohere_command4',
  },
  {
    names: ['command a', 'command r 7b'],
    parsers: ['cohere_command4'],
    reasoning: 'cohere_command4',
    confidence: 'medium',
  },
  { names: ['ernie 4 5'], with: ['thinking'], parsers: ['ernie45'], reasoning: 'ernie45' },
  { names: ['gigachat 3 5'], parsers: [] },
  { names: ['gigachat 3'], parsers: ['gigachat3'] },
  { names: ['olmo 3'], parsers: ['olmo3'] },
  { names: ['lfm 2 5'], with: ['8b', 'thinking'], parsers: ['lfm2'], reasoning: 'qwen3' },
  { names: ['lfm 2'], parsers: ['lfm2'] },
  { names: ['minicpm 5'], parsers: ['minicpm5'], reasoning: 'qwen3' },
  { names: ['phi 4 mini'], without: ['reasoning'], parsers: ['phi4_mini_json'] },
  { names: ['gemma 4'], parsers: ['gemma4'] },

  { names: ['qwen 3 coder'], parsers: ['qwen3_coder'] },
  { names: ['qwen 3 5', 'qwen 3 6'], parsers: ['qwen3_coder'], reasoning: 'qwen3' },
  { names: ['qwen 3'], with: ['instruct'], parsers: ['qwen', 'hermes'] },
  { names: ['qwen 3'], parsers: ['qwen', 'hermes'], reasoning: 'qwen3' },
  { names: ['qwen 2 5'], parsers: ['qwen', 'hermes'] },
  { names: ['qwq'], parsers: ['qwen', 'hermes'], reasoning: 'deepseek_r1' },
  { names: ['smollm 3'], parsers: ['hermes', 'qwen'], reasoning: 'qwen3' },

  { names: ['magistral', 'ministral 3'], parsers: ['mistral'], reasoning: 'mistral' },
  {
    names: ['mistral nemo', 'mistral small', 'mistral medium', 'mistral large', 'ministral', 'devstral'],
    parsers: ['mistral'],
  },
  { names: ['mistral 7b instruct v 0 3'], parsers: ['mistral'] },
  {
    names: ['mixtral', 'codestral', '^ mistral 7b', '^ mistral latest', '^ mistral $'],
    parsers: ['mistral'],
    confidence: 'low',
  },

  { names: ['llama 4'], parsers: ['llama4_pythonic', 'llama4_json'] },
  { names: ['llama 3 2'], parsers: ['llama3_json', 'pythonic'] },
  { names: ['llama 3 1', 'llama 3 3'], parsers: ['llama3_json'] },
];
