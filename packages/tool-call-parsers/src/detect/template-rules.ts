import type { DetectionConfidence } from './detected-format.ts';

/** What in a chat template speaks for which parsers. */
export interface TemplateRule {
  /** Parsers that read what such a template asks for, the most fitting first. */
  readonly parsers: readonly string[];
  /** The template holds each of these. */
  readonly has: readonly string[];
  /** And none of these. */
  readonly hasNo?: readonly string[];
  /** @default 'high' */
  readonly confidence?: DetectionConfidence;
  /** A reasoning parser, and the mark that must be there for it. */
  readonly reasoning?: { readonly parser: string; readonly mark: string };
}

const think = (parser: string): { readonly parser: string; readonly mark: string } => ({ parser, mark: '</think>' });

/** Bodies of `<tool_call>` that are no JSON object. */
const otherBodies = ['<function=', '<arg_key>', '<tool_sep>', '<invoke ', ']<]minimax[>['];

/**
 * One row per look of a template. Rows exclude each other through `hasNo` where formats share a mark; where several
 * hold nevertheless, an earlier row goes first.
 */
export const templateRules: readonly TemplateRule[] = [
  // `<tool_call>`: what stands inside decides.
  {
    parsers: ['ernie45'],
    has: ['<tool_call>', '<tool_output>'],
    hasNo: otherBodies,
    reasoning: think('ernie45'),
  },
  { parsers: ['granite4'], has: ['<|start_of_role|>', '</tool_call>', '"name"'], hasNo: otherBodies },
  {
    parsers: ['hermes', 'qwen'],
    has: ['<tool_call>', '"name"'],
    hasNo: [...otherBodies, '<|start_of_role|>', '<tool_output>'],
    reasoning: think('qwen3'),
  },
  {
    // The call is printed by a filter, so its keys do not show.
    parsers: ['hermes', 'qwen'],
    has: ['<tool_call>', 'tojson'],
    hasNo: [...otherBodies, '<|start_of_role|>', '<tool_output>', '"name"'],
    confidence: 'medium',
    reasoning: think('qwen3'),
  },
  { parsers: ['qwen3_coder'], has: ['<function=', '<parameter='], hasNo: ['<seed:'], reasoning: think('qwen3') },
  { parsers: ['hy_v3'], has: ['<tool_sep>', '<arg_key>'], reasoning: think('qwen3') },
  {
    parsers: ['glm47', 'glm45'],
    has: ['<tool_call>', '</arg_key><arg_value>'],
    hasNo: ['<tool_sep>'],
    reasoning: think('glm47'),
  },
  {
    parsers: ['glm45', 'glm47'],
    has: ['<tool_call>', '<arg_key>'],
    hasNo: ['<tool_sep>', '</arg_key><arg_value>'],
    reasoning: think('glm45'),
  },

  // `<tool_calls>`: an array, or a line for each call.
  {
    parsers: ['minimax'],
    has: ['<tool_calls>\n{"name"'],
    hasNo: ['<tool_calls>['],
    reasoning: think('minimax_m2'),
  },
  { parsers: ['hunyuan_a13b'], has: ['<tool_calls>', '<|extra_0|>'] },
  { parsers: ['jamba'], has: ['<tool_calls>', '<|bom|>'] },
  {
    parsers: ['jamba', 'hunyuan_a13b'],
    has: ['<tool_calls>['],
    hasNo: ['<|extra_0|>', '<|bom|>', '<tool_sep>'],
    confidence: 'medium',
  },

  // Tags and tokens of one family.
  { parsers: ['longcat'], has: ['<longcat_tool_call>'], hasNo: ['<longcat_arg_key>'] },
  { parsers: ['seed_oss'], has: ['<seed:tool_call>'], reasoning: { parser: 'seed_oss', mark: '<seed:think>' } },
  { parsers: ['minimax_m2'], has: ['<minimax:tool_call>'], reasoning: think('minimax_m2') },
  { parsers: ['minimax_m3'], has: [']<]minimax[>['] },
  { parsers: ['minicpm5'], has: ['<function name=', '<param name='], reasoning: think('qwen3') },
  { parsers: ['step3'], has: ['<steptml:invoke'] },
  { parsers: ['deepseek_v32'], has: ['｜DSML｜', 'function_calls>'], reasoning: think('deepseek_v3') },
  {
    parsers: ['deepseek_v4'],
    has: ['｜DSML｜', 'tool_calls>'],
    hasNo: ['function_calls>'],
    reasoning: think('deepseek_v3'),
  },
  { parsers: ['deepseek_v3'], has: ['<｜tool▁call▁begin｜>', '```json'], reasoning: think('deepseek_r1') },
  {
    parsers: ['deepseek_v3_1'],
    has: ['<｜tool▁call▁begin｜>'],
    hasNo: ['```json'],
    reasoning: think('deepseek_v3'),
  },
  { parsers: ['kimi_k2'], has: ['<|tool_call_begin|>'], reasoning: think('kimi_k2') },
  {
    parsers: ['kimi_k3'],
    has: ['<|open|>', '<|sep|>', '<|close|>'],
    reasoning: { parser: 'kimi_k3', mark: 'think' },
  },
  { parsers: ['gpt_oss'], has: ['<|channel|>', '<|call|>'], reasoning: { parser: 'gpt_oss', mark: 'analysis' } },
  { parsers: ['mistral'], has: ['[TOOL_CALLS]'], reasoning: { parser: 'mistral', mark: '[THINK]' } },
  { parsers: ['granite'], has: ['<|tool_call|>'], hasNo: ['<|/tool_call|>'] },
  { parsers: ['granite-20b-fc'], has: ['<function_call>', '"name"'], hasNo: ['</function_call>'] },
  { parsers: ['internlm'], has: ['<|action_start|>', '<|plugin|>'], reasoning: think('qwen3') },
  { parsers: ['apertus'], has: ['<|tools_prefix|>'] },
  {
    parsers: ['cohere_command4'],
    has: ['<|START_ACTION|>'],
    reasoning: { parser: 'cohere_command4', mark: '<|START_THINKING|>' },
  },
  // Version 3.5 keeps the role tokens and writes its calls in another language, GCML.
  { parsers: ['gigachat3'], has: ['<|role_sep|>', 'function call'], hasNo: ['gcml'] },
  { parsers: ['gemma4'], has: ['<|tool_call>'] },
  { parsers: ['functiongemma'], has: ['<start_function_call>'] },
  { parsers: ['phi4_mini_json'], has: ['functools['] },
  { parsers: ['lfm2'], has: ['<|tool_call_start|>'], reasoning: think('qwen3') },
  { parsers: ['lfm2'], has: ['<|tool_list_start|>'], reasoning: think('qwen3') },
  { parsers: ['olmo3'], has: ['<function_calls>', '</function_calls>'], hasNo: ['<invoke ', '｜DSML｜'] },

  // No mark in the calls: what the prompt says of them decides.
  { parsers: ['xlam'], has: ['xLAM', '"arguments"'] },
  { parsers: ['llama4_pythonic', 'pythonic'], has: ['<|header_start|>', 'func_name1('] },
  { parsers: ['llama4_json', 'llama4_pythonic'], has: ['<|header_start|>', '{"name": function name, "parameters"'] },
  { parsers: ['pythonic'], has: ['func_name1('], hasNo: ['<|header_start|>'] },
  {
    parsers: ['llama3_json'],
    has: ['<|start_header_id|>', '{"name": function name, "parameters"'],
    hasNo: ['<tool_call>', '<TOOLCALL>'],
    reasoning: think('deepseek_r1'),
  },
];
