/**
 * The formats whose values are text that must be converted to JSON. Their floor is lower than that of formats whose
 * arguments are JSON already and are handed on as they are.
 */
export const textBodiedFormats: ReadonlySet<string> = new Set([
  'deepseek_v32',
  'deepseek_v4',
  'functiongemma',
  'gemma4',
  'glm45',
  'glm47',
  'hy_v3',
  'kimi_k3',
  'lfm2',
  'llama4_pythonic',
  'minicpm5',
  'minimax_m2',
  'minimax_m3',
  'olmo3',
  'pythonic',
  'qwen3_coder',
  'qwen3_xml',
  'seed_oss',
  'step3',
]);

/** Least rates of replies of 64 KiB, read whole, beside that of `JSON.parse`. */
export const wholeFloors: Readonly<Record<'jsonBodied' | 'textBodied', number>> = {
  jsonBodied: 1 / 4,
  textBodied: 1 / 8,
};
