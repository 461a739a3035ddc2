/** Most bytes of the default format alone, bundled and minified. */
const defaultLimit = 12_000;

/** Most bytes of any other format whose calls are one JSON object or array. */
const jsonLimit = 12_600;

/** Most bytes of the root entry: all formats, reasoning, detection and the OpenAI mapping. */
export const rootLimit = 90_000;

/**
 * Limits of the formats that bring more than one object or array of JSON needs. Values as plain text bring the schemas of
 * tools and Python literals, by which they are typed.
 */
const limits: Readonly<Record<string, number>> = {
  hermes: defaultLimit,
  // Several layouts: arrays, objects, compact calls, frames, bare arrays.
  granite: 13_700,
  mistral: 14_200,
  xlam: 14_500,
  // Calls of Python.
  olmo3: 14_500,
  pythonic: 15_300,
  llama4_pythonic: 15_300,
  lfm2: 15_300,
  // Values as plain text.
  glm45: 15_100,
  glm47: 15_100,
  hy_v3: 15_300,
  qwen3_coder: 15_500,
  qwen3_xml: 15_500,
  seed_oss: 15_600,
  kimi_k3: 16_000,
  minicpm5: 16_200,
  minimax_m2: 16_500,
  step3: 16_600,
  // An object syntax of their own, nested elements, or JSON in the place of plain values besides.
  gemma4: 17_300,
  functiongemma: 17_400,
  minimax_m3: 18_000,
  deepseek_v32: 19_300,
  deepseek_v4: 19_300,
};

/** Most bytes of that format. */
export function sizeLimit(format: string): number {
  return limits[format] ?? jsonLimit;
}
