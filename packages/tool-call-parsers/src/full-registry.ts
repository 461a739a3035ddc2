import { apertus } from './apertus/index.ts';
import { cohereCommand4 } from './cohere_command4/index.ts';
import { deepseekV3 } from './deepseek_v3/index.ts';
import { deepseekV31 } from './deepseek_v3_1/index.ts';
import { deepseekV4 } from './deepseek_v4/index.ts';
import { deepseekV32 } from './deepseek_v32/index.ts';
import { ernie45 } from './ernie45/index.ts';
import { functiongemma } from './functiongemma/index.ts';
import { gemma4 } from './gemma4/index.ts';
import { gigachat3 } from './gigachat3/index.ts';
import { glm45 } from './glm45/index.ts';
import { glm47 } from './glm47/index.ts';
import { gptOss } from './gpt_oss/index.ts';
import { granite } from './granite/index.ts';
import { granite20bFc } from './granite-20b-fc/index.ts';
import { granite4 } from './granite4/index.ts';
import { hermes } from './hermes/index.ts';
import { hunyuanA13b } from './hunyuan_a13b/index.ts';
import { hyV3 } from './hy_v3/index.ts';
import { internlm } from './internlm/index.ts';
import { jamba } from './jamba/index.ts';
import { kimiK2 } from './kimi_k2/index.ts';
import { kimiK3 } from './kimi_k3/index.ts';
import { lfm2 } from './lfm2/index.ts';
import { llama3Json } from './llama3_json/index.ts';
import { llama4Json } from './llama4_json/index.ts';
import { llama4Pythonic } from './llama4_pythonic/index.ts';
import { longcat } from './longcat/index.ts';
import { minicpm5 } from './minicpm5/index.ts';
import { minimax } from './minimax/index.ts';
import { minimaxM2 } from './minimax_m2/index.ts';
import { minimaxM3 } from './minimax_m3/index.ts';
import { mistral } from './mistral/index.ts';
import { olmo3 } from './olmo3/index.ts';
import { createParserRegistry, type ParserRegistry } from './parser-registry.ts';
import { phi4MiniJson } from './phi4_mini_json/index.ts';
import { pythonic } from './pythonic/index.ts';
import { qwen } from './qwen/index.ts';
import { qwen3Coder } from './qwen3_coder/index.ts';
import { qwen3Xml } from './qwen3_xml/index.ts';
import { seedOss } from './seed_oss/index.ts';
import { step3 } from './step3/index.ts';
import type { ToolCallParser } from './tool-call-parser.ts';
import { xlam } from './xlam/index.ts';

/** Every parser of this package. Make a registry of your own from these and yours with `createParserRegistry`. */
export const parsers: readonly ToolCallParser[] = [
  apertus,
  cohereCommand4,
  deepseekV3,
  deepseekV31,
  deepseekV32,
  deepseekV4,
  ernie45,
  functiongemma,
  gemma4,
  gigachat3,
  glm45,
  glm47,
  gptOss,
  granite,
  granite20bFc,
  granite4,
  hermes,
  hunyuanA13b,
  hyV3,
  internlm,
  jamba,
  kimiK2,
  kimiK3,
  lfm2,
  llama3Json,
  llama4Json,
  llama4Pythonic,
  longcat,
  minicpm5,
  minimax,
  minimaxM2,
  minimaxM3,
  mistral,
  olmo3,
  phi4MiniJson,
  pythonic,
  qwen,
  qwen3Coder,
  qwen3Xml,
  seedOss,
  step3,
  xlam,
];

const registry: ParserRegistry = /* @__PURE__ */ createParserRegistry(parsers);

/**
 * The parser of that name or alias among all of this package. `-` and `_` mean the same.
 * @throws ParserError `parser.unknown`, with the known names
 */
export function getParser(name: string): ToolCallParser {
  return registry.getParser(name);
}

/** The names of all parsers of this package, sorted, without aliases. */
export function listParsers(): readonly string[] {
  return registry.listParsers();
}
