/**
 * Vector files that no registered parser reads yet. Exact: a name that is registered must leave the list, which
 * `registry-complete.test.ts` checks; tests of these formats are skipped.
 */
export const missingFormats: readonly string[] = [
  'apertus',
  'cohere_command4',
  'deepseek_v32',
  'deepseek_v4',
  'functiongemma',
  'gemma4',
  'granite',
  'hunyuan_a13b',
  'jamba',
  'kimi_k3',
  'lfm2',
  'llama4_pythonic',
  'minicpm5',
  'minimax',
  'minimax_m2',
  'minimax_m3',
  'mistral',
  'olmo3',
  'phi4_mini_json',
  'pythonic',
  'step3',
  'xlam',
];
