import { createReasoningParser, type ReasoningParserOptions } from './create-reasoning-parser.ts';
import { gptOss } from './gpt-oss.ts';
import { identity } from './identity.ts';
import type { ReasoningParser } from './reasoning-parser.ts';

const think = { openTag: '<think>', closeTag: '</think>' } as const;

/**
 * The families whose reasoning stands between two tags. Where the prompt decides whether an answer begins inside, it is
 * taken to begin outside as long as the prompt is not known: an open tag in the answer is seen all the same, while an
 * answer without reasoning would be lost in it.
 */
const families: readonly ReasoningParserOptions[] = [
  { name: 'deepseek_r1', ...think, startsInReasoning: true },
  {
    name: 'deepseek_v3',
    aliases: ['deepseek_v3_1', 'deepseek_v31', 'deepseek_v32', 'deepseek_v4'],
    ...think,
    opensByRequestOnly: true,
  },
  { name: 'qwen3', ...think, callsInReasoning: 'end-reasoning' },
  { name: 'glm45', aliases: ['glm47'], ...think, callsInReasoning: 'end-reasoning' },
  { name: 'kimi_k2', ...think, callsInReasoning: 'end-reasoning' },
  { name: 'kimi', openTag: '◁think▷', closeTag: '◁/think▷' },
  { name: 'kimi_k3', openTag: '<|open|>think<|sep|>', closeTag: '<|close|>think<|sep|>', startsInReasoning: true },
  { name: 'mistral', openTag: '[THINK]', closeTag: '[/THINK]' },
  { name: 'seed_oss', openTag: '<seed:think>', closeTag: '</seed:think>' },
  { name: 'minimax_m2', ...think, startsInReasoning: true },
  { name: 'cohere_command4', openTag: '<|START_THINKING|>', closeTag: '<|END_THINKING|>' },
  { name: 'ernie45', ...think, startsInReasoning: true },
];

/** Every reasoning parser of this package. */
export const reasoningParsers: readonly ReasoningParser[] = /* @__PURE__ */ (() => [
  ...families.map(createReasoningParser),
  gptOss,
  identity,
])();
