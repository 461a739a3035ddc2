import { readdirSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { detectFormat, detectFormats } from './detect-format.ts';
import { nameRules } from './name-rules.ts';
import { templateRules } from './template-rules.ts';

/** As few words as show a family's look: a sample of the call in the prompt, or how the template prints a call. */
const templates: readonly (readonly [parser: string, reasoning: string | undefined, template: string])[] = [
  ['hermes', undefined, String.raw`{{- '<tool_call>\n{"name": "' ~ call.name ~ '", "arguments": ' ~ call.arguments }}`],
  ['hermes', 'qwen3', String.raw`{{- "Answer in <tool_call></tool_call>:\n{\"name\": <n>}" }}{{ '<think></think>' }}`],
  ['hermes', undefined, String.raw`{{- '<tool_call>\n' ~ (call.function | tojson) ~ '\n</tool_call>' }}`],
  ['granite4', undefined, `{{ '<|start_of_role|>system<|end_of_role|><tool_call>{"name": 1}</tool_call>' }}`],
  ['ernie45', 'ernie45', `<tool_call>{"name": ""}</tool_call>{{ '<tool_output>' }}{{ '</think>' }}`],
  ['qwen3_coder', undefined, String.raw`{{- '<tool_call>\n<function=' + call.name + '>\n<parameter=' + key + '>\n' }}`],
  ['qwen3_coder', 'qwen3', `<tool_call><function=f><parameter=k>{{ '</think>' }}{"name": 1}`],
  ['seed_oss', 'seed_oss', '<seed:tool_call>\n<function=f>\n<parameter=k>v</parameter>{{ "<seed:think>" }}'],
  ['glm45', undefined, "{{ '<tool_call>' + tc.name }}\n<arg_key>{{ k }}</arg_key>\n<arg_value>{{ v }}</arg_value>"],
  ['glm47', 'glm47', '<tool_call>{name}<arg_key>{k}</arg_key><arg_value>{v}</arg_value></tool_call>{{ "</think>" }}'],
  ['hy_v3', undefined, "{{ '<tool_calls>\\n<tool_call>' + name + '<tool_sep>' }}<arg_key>k</arg_key>"],
  [
    'minimax',
    undefined,
    String.raw`{{ 'Like:\n<tool_calls>\n{"name": <tool-name>, "arguments": <a>}\n</tool_calls>' }}`,
  ],
  ['hunyuan_a13b', undefined, '<tool_calls>[{"name": "f", "arguments": {}}]</tool_calls>{{ "<|extra_0|>" }}'],
  ['jamba', undefined, `{{ "<|bom|><|assistant|>" }}{{ '<tool_calls>[' }}{{ "\\n]</tool_calls>" }}`],
  ['longcat', undefined, '{{ "<longcat_tool_call>\\n{\\"name\\": 1}" }}'],
  ['minimax_m2', 'minimax_m2', "{%- set begin = '<minimax:tool_call>' -%}<invoke name=\"f\">{{ '</think>' }}"],
  ['minimax_m3', undefined, "{%- set mark = ']<]minimax[>[' -%}{{ mark + '<tool_call>' }}{{ '{\"name\"' }}"],
  ['minicpm5', undefined, '{{ sample }}<function name="f"><param name="k">v</param></function>'],
  ['step3', undefined, '{{ "<｜tool_calls_begin｜>" }}<steptml:invoke name="f">'],
  ['deepseek_v3', 'deepseek_r1', "{{ '<｜tool▁call▁begin｜>' + type + '<｜tool▁sep｜>' + '```json' }}{{ '</think>' }}"],
  ['deepseek_v3_1', 'deepseek_v3', "{{ '<｜tool▁call▁begin｜>' + name + '<｜tool▁sep｜>' }}{{ '</think>' }}"],
  ['deepseek_v32', undefined, '{%- set dsml = "｜DSML｜" -%}<{{ dsml }}function_calls>{% if message.tool_calls %}'],
  ['deepseek_v4', 'deepseek_v3', "{%- set dsml = '｜DSML｜' -%}{{ '<' + dsml + 'tool_calls>' }}{{ '</think>' }}"],
  ['kimi_k2', undefined, '<|tool_calls_section_begin|><|tool_call_begin|>{{ id }}<|tool_call_argument_begin|>'],
  ['kimi_k3', 'kimi_k3', "{{ '<|open|>' + tag + '<|sep|>' }}{{ '<|close|>' }}{{ open_tag('think') }}"],
  ['gpt_oss', 'gpt_oss', '<|channel|>analysis<|message|>{{ "to=functions." + name }}<|channel|>commentary<|call|>'],
  ['mistral', undefined, '{{- "[TOOL_CALLS] [" }}{{- tool_call.function|tojson }}'],
  ['mistral', 'mistral', "{{- '[TOOL_CALLS]' + name + '[ARGS]' + arguments }}{{ '[THINK]' }}"],
  ['granite', undefined, 'When a tool is required, respond with <|tool_call|> followed by a JSON list.{{ x }}'],
  ['granite-20b-fc', undefined, '{{ \'<function_call> {"name": "f"}\' }}'],
  ['internlm', undefined, '{{- "<|action_start|><|plugin|>\\n" }}{{- \'{"name": "\' + function.name }}'],
  ['apertus', undefined, "{%- set tool_calls_token = '<|tools_prefix|>' -%}"],
  ['cohere_command4', 'cohere_command4', '<|START_THINKING|>{{ plan }}<|END_THINKING|><|START_ACTION|>['],
  ['gigachat3', undefined, "{{ role_sep='<|role_sep|>\\n' }}{{ render('function call') }}"],
  ['gemma4', undefined, "{{- '<|tool_call>call:' + name + '{' -}}{{ '}<tool_call|>' }}"],
  ['functiongemma', undefined, "{{- '<start_function_call>call:' + name + '{' -}}"],
  ['phi4_mini_json', undefined, 'formatted as functools[{"name": 1, "arguments": 2}]{% if tools %}'],
  ['lfm2', undefined, '{{ "List of tools: <|tool_list_start|>[" }}'],
  ['lfm2', 'qwen3', '{{- "<|tool_call_start|>[" + calls }}{{ "</think>" }}'],
  ['olmo3', undefined, '{{ "<function_calls>\\nf(city=\'Oslo\')\\n</function_calls>" }}'],
  ['xlam', undefined, 'developed by Salesforce xLAM team [{"name": "f", "arguments": {}}]{{ x }}'],
  ['pythonic', undefined, "<|start_header_id|>{{ 'Respond in the format [func_name1(params_name1=params_value1)]' }}"],
  ['llama4_pythonic', undefined, "<|header_start|>{{ 'Use exact format: [func_name1(param1=value1)]' }}"],
  ['llama4_json', undefined, '<|header_start|>{{ \'Respond as {"name": function name, "parameters": dictionary}\' }}'],
  [
    'llama3_json',
    undefined,
    '<|start_header_id|>{{ \'{"name": function name, "parameters": dictionary}\' }}<|python_tag|>',
  ],
];

const names: readonly (readonly [name: string, parser: string | undefined, reasoning?: string])[] = [
  ['Qwen/Qwen2.5-7B-Instruct', 'qwen'],
  ['Qwen/Qwen2.5-Coder-32B-Instruct-GPTQ-Int4', 'qwen'],
  ['qwen3:8b', 'qwen', 'qwen3'],
  ['hf.co/unsloth/Qwen3-0.6B-GGUF:Q4_K_M', 'qwen', 'qwen3'],
  ['Qwen3-30B-A3B-Instruct-2507-FP8', 'qwen'],
  ['Qwen/Qwen3-Next-80B-A3B-Thinking', 'qwen', 'qwen3'],
  ['Qwen/Qwen3-Coder-480B-A35B-Instruct', 'qwen3_coder'],
  ['qwen3-coder:30b', 'qwen3_coder'],
  ['Qwen/Qwen3.5-397B-A17B', 'qwen3_coder', 'qwen3'],
  ['Qwen/QwQ-32B', 'qwen', 'deepseek_r1'],
  ['Qwen/Qwen3-Embedding-8B', undefined],
  ['meta-llama/Llama-3.1-8B-Instruct', 'llama3_json'],
  ['meta-llama/Meta-Llama-3.1-70B-Instruct', 'llama3_json'],
  ['llama3.2:1b', 'llama3_json'],
  ['Llama-3_3-70B-Instruct-AWQ', 'llama3_json'],
  ['meta-llama/Meta-Llama-3-8B-Instruct', undefined],
  ['Llama-3-1B', undefined],
  ['meta-llama/Llama-4-Scout-17B-16E-Instruct', 'llama4_pythonic'],
  ['nvidia/Llama-3_3-Nemotron-Super-49B-v1_5', undefined],
  ['nvidia/Llama-3.1-Nemotron-70B-Instruct-HF', 'llama3_json'],
  ['nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16', 'qwen3_coder', 'qwen3'],
  ['meetkai/functionary-medium-v3.1', undefined],
  ['mistralai/Mistral-7B-Instruct-v0.3', 'mistral'],
  ['mistralai/Mixtral-8x22B-Instruct-v0.1', 'mistral'],
  ['mistralai/Devstral-Small-2507', 'mistral'],
  ['mistralai/Magistral-Small-2506', 'mistral', 'mistral'],
  ['mistralai/Ministral-3-14B-Reasoning-2512', 'mistral', 'mistral'],
  ['mistralai/Ministral-8B-Instruct-2410', 'mistral'],
  ['mistralai/Codestral-22B-v0.1', 'mistral'],
  ['mistral:latest', 'mistral'],
  ['mistral:7b', 'mistral'],
  ['teknium/OpenHermes-2.5-Mistral-7B', undefined],
  ['NousResearch/Hermes-2-Pro-Llama-3-8B', 'hermes'],
  ['NousResearch/Hermes-3-Llama-3.1-8B', 'hermes'],
  ['NousResearch/Hermes-4-14B', 'hermes'],
  ['NousResearch/Nous-Hermes-2-Mixtral-8x7B-DPO', undefined],
  ['HuggingFaceTB/SmolLM3-3B', 'hermes', 'qwen3'],
  ['deepseek-ai/DeepSeek-V3', 'deepseek_v3'],
  ['deepseek-ai/DeepSeek-V3-0324', 'deepseek_v3'],
  ['deepseekv3.1-awq', 'deepseek_v3_1', 'deepseek_v3'],
  ['deepseek-ai/DeepSeek-R1-0528', 'deepseek_v3', 'deepseek_r1'],
  ['deepseek-r1:671b', 'deepseek_v3', 'deepseek_r1'],
  ['deepseek-r1:8b', undefined],
  ['deepseek-ai/DeepSeek-R1-Distill-Llama-8B', 'llama3_json', 'deepseek_r1'],
  ['deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B', 'qwen', 'deepseek_r1'],
  ['deepseek-r1:70b-llama-distill-q4_K_M', 'llama3_json', 'deepseek_r1'],
  ['deepseek-ai/DeepSeek-R1-0528-Qwen3-8B', 'qwen', 'deepseek_r1'],
  ['prithivMLmods/Qwen2.5-14B-DeepSeek-R1-1M', 'qwen'],
  ['someone/gemma-3-12b-deepseek-r1-distill', undefined],
  ['deepseek-ai/DeepSeek-V3.1-Terminus', 'deepseek_v3_1', 'deepseek_v3'],
  ['deepseek-ai/DeepSeek-V3.2-Exp', 'deepseek_v3_1', 'deepseek_v3'],
  ['deepseek-ai/DeepSeek-V3.2', 'deepseek_v32', 'deepseek_v3'],
  ['deepseek-ai/DeepSeek-V4-Flash', 'deepseek_v4', 'deepseek_v3'],
  ['moonshotai/Kimi-K2-Instruct-0905', 'kimi_k2'],
  ['moonshotai/Kimi-K2-Thinking', 'kimi_k2', 'kimi_k2'],
  ['moonshotai/Kimi-K2.7', 'kimi_k2', 'kimi_k2'],
  ['moonshotai/Kimi-K3', 'kimi_k3', 'kimi_k3'],
  ['zai-org/GLM-4.5-Air', 'glm45', 'glm45'],
  ['zai-org/GLM-4.6-FP8', 'glm45', 'glm45'],
  ['zai-org/GLM-4.7-Flash', 'glm47', 'glm47'],
  ['zai-org/GLM-5-FP8', 'glm47', 'glm47'],
  ['THUDM/glm-4-9b-chat', undefined],
  ['poolside/Laguna-XS-2.1', 'glm47'],
  ['meituan-longcat/LongCat-Flash-Chat-FP8', 'longcat'],
  ['ibm-granite/granite-3.0-8b-instruct', 'granite'],
  ['ibm-granite/granite-3.3-2b-instruct', 'granite'],
  ['ibm-granite/granite-4.0-h-small', 'granite4'],
  ['ibm-granite/granite-20b-functioncalling', 'granite-20b-fc'],
  ['internlm/internlm2_5-7b-chat', 'internlm'],
  ['internlm/internlm3-8b-instruct', 'internlm'],
  ['internlm/Intern-S1', 'internlm', 'qwen3'],
  ['ai21labs/AI21-Jamba-1.5-Mini', 'jamba'],
  ['ai21labs/Jamba-v0.1', undefined],
  ['tencent/Hunyuan-A13B-Instruct', 'hunyuan_a13b'],
  ['tencent/Hy3-preview', 'hy_v3', 'qwen3'],
  ['MiniMaxAI/MiniMax-M1-80k', 'minimax', 'minimax_m2'],
  ['MiniMaxAI/MiniMax-M2', 'minimax_m2', 'minimax_m2'],
  ['MiniMaxAI/MiniMax-M2.1', 'minimax_m2', 'minimax_m2'],
  ['MiniMaxAI/MiniMax-M3-MXFP8', 'minimax_m3'],
  ['Salesforce/Llama-xLAM-2-8b-fc-r', 'xlam'],
  ['microsoft/Phi-4-mini-instruct', 'phi4_mini_json'],
  ['microsoft/Phi-4-mini-reasoning', undefined],
  ['swiss-ai/Apertus-8B-Instruct-2509', 'apertus'],
  ['CohereLabs/c4ai-command-a-03-2025', 'cohere_command4', 'cohere_command4'],
  ['CohereLabs/command-a-plus-05-2026-bf16', 'cohere_command4', 'cohere_command4'],
  ['baidu/ERNIE-4.5-21B-A3B-Thinking', 'ernie45', 'ernie45'],
  ['baidu/ERNIE-4.5-0.3B-PT', undefined],
  ['ai-sage/GigaChat3-10B-A1.8B-bf16', 'gigachat3'],
  ['ai-sage/GigaChat3.5', undefined],
  ['openai/gpt-oss-120b', 'gpt_oss', 'gpt_oss'],
  ['gpt-oss:20b', 'gpt_oss', 'gpt_oss'],
  ['google/gemma-4-31B-it', 'gemma4'],
  ['google/gemma-3-4b-it', undefined],
  ['google/functiongemma-270m-it', 'functiongemma'],
  ['allenai/Olmo-3-7B-Instruct', 'olmo3'],
  ['LiquidAI/LFM2-1.2B', 'lfm2'],
  ['LiquidAI/LFM2.5-8B-A1B', 'lfm2', 'qwen3'],
  ['LiquidAI/LFM2.5-1.2B-Thinking', 'lfm2', 'qwen3'],
  ['LiquidAI/LFM2.5-1.2B-Instruct', 'lfm2'],
  ['ByteDance-Seed/Seed-OSS-36B-Instruct', 'seed_oss', 'seed_oss'],
  ['stepfun-ai/step3', 'step3'],
  ['stepfun-ai/Step-3.5-Flash', 'qwen3_coder', 'qwen3'],
  ['XiaomiMiMo/MiMo-V2-Flash', 'qwen3_coder', 'qwen3'],
  ['openbmb/MiniCPM5-1B', 'minicpm5', 'qwen3'],
  ['Team-ACE/ToolACE-8B', 'pythonic'],
  ['fixie-ai/ultravox-v0_4-ToolACE-8B', 'pythonic'],
  ['C:\\My Models\\Qwen3-4B-Q4_K_M.gguf', 'qwen', 'qwen3'],
  ['/cache/models--Qwen--Qwen3-4B/snapshots/0a1b2c3d/model-00001-of-00002.safetensors', 'qwen', 'qwen3'],
  ['/home/hermes/llama/qwen/out.gguf', undefined],
  ['my-sft-step-3', undefined],
  ['gpt-4o', undefined],
  ['', undefined],
];

describe('a chat template', () => {
  test.each(templates)('%s, reasoning %s: %s', (parser, reasoning, template) => {
    expect(detectFormat(template)).toMatchObject({ parser, source: 'template' });
    expect(detectFormat(template)?.reasoning).toBe(reasoning);
  });

  test.each(templates)('%s, reasoning %s, in a JSON file: %s', (parser, reasoning, template) => {
    const quoted = JSON.stringify(template).replaceAll('<', '\\u003c').replaceAll('｜', '\\uff5c');
    expect(detectFormat(quoted.slice(1, -1))).toMatchObject({ parser, source: 'template' });
    expect(detectFormat(quoted)?.reasoning).toBe(reasoning);
  });

  test('holds strings that are put together', () => {
    expect(detectFormat(`{{- '<' + '|tool_call|>' }}`)?.parser).toBe('granite');
    expect(detectFormat(`{{- "<|tools_"\n  ~ "prefix|>" }}`)?.parser).toBe('apertus');
  });

  test('may be escaped more than once', () => {
    const template = '{{ \'<tool_calls>\\n{"name": 1}\\n</tool_calls>\' }}';
    const once = JSON.stringify(template);
    const twice = JSON.stringify(once).replaceAll('<', '\\\\u003c');
    for (const text of [template, once, twice, JSON.stringify(twice)])
      expect(detectFormat(text)?.parser).toBe('minimax');
  });

  test('says nothing by its comments', () => {
    const template = `{# not <|tool_call|> as others do #}{{ '[TOOL_CALLS]' }}{# {"a": [TOOL] #}`;
    expect(detectFormats(template).map((format) => format.parser)).toEqual(['mistral']);
    expect(detectFormat('{# not closed <|tool_call|>')?.parser).toBe('granite');
  });

  test('of a format that no parser reads suggests none', () => {
    const calls = [
      `<|start_header_id|>{{ '<TOOLCALL>[{"name": "f", "arguments": {}}]</TOOLCALL>' }}`,
      `{{ '<|tool_call|>' + (call | tojson) + '<|/tool_call|>' }}`,
      `<|start_header_id|>{{ '<function=' + name + '>{"a": 1}</function>' }}`,
      `{{ '<longcat_tool_call>' + name }}<longcat_arg_key>`,
      `{{ '<tool_calls:opensource><tool_call:opensource>' + name + '<arg_key:opensource>' }}`,
      `{{ render_gcml(calls) + '<|role_sep|>' }} function call`,
      "{% for message in messages %}{{ '<|im_start|>' + message.role }}{% endfor %}",
    ];
    for (const template of calls) expect(detectFormats(template)).toEqual([]);
  });

  test('tells which marks decided', () => {
    expect(detectFormat('{{ "<start_function_call>" }}')).toEqual({
      parser: 'functiongemma',
      confidence: 'high',
      source: 'template',
      evidence: 'the template holds "<start_function_call>"',
    });
  });

  test('may fit several parsers, the first of them best', () => {
    const both = `<|header_start|>[func_name1(a=1)]{{ '{"name": function name, "parameters": dictionary' }}`;
    expect(detectFormats(both).map((format) => format.parser)).toEqual(['llama4_pythonic', 'pythonic', 'llama4_json']);
    const array = '{{ "<tool_calls>[" }}';
    expect(detectFormats(array)).toMatchObject([
      { parser: 'jamba', confidence: 'medium' },
      { parser: 'hunyuan_a13b', confidence: 'medium' },
    ]);
  });

  test.each(['{#', "'", "' ", "'+", "' + ' ", '\\', '\\u003', '<tool_call>', '"name"', '{{ ', '\n'])(
    'of a megabyte of %j is read',
    (piece) => {
      expect(() => detectFormats(`<${piece.repeat(2 ** 20 / piece.length)}`)).not.toThrow();
    },
  );
});

describe('a model name', () => {
  test.each(names.map(([name, parser, reasoning]) => [name, parser, reasoning] as const))(
    '%s: %s, %s',
    (name, parser, reasoning) => {
      for (const spelling of [name, name.toLowerCase(), name.toUpperCase()]) {
        expect(detectFormat(spelling)?.parser).toBe(parser);
        expect(detectFormat(spelling)?.reasoning).toBe(reasoning);
      }
    },
  );

  test('tells which part of it decided, and less surely for a derived model', () => {
    expect(detectFormats('org/Qwen3-Coder-30B')).toEqual([
      { parser: 'qwen3_coder', confidence: 'high', source: 'name', evidence: 'the model name holds "Qwen3-Coder"' },
    ]);
    expect(detectFormat('Lexi-Llama-3_1-8B')).toMatchObject({
      confidence: 'medium',
      evidence: 'the model name holds "Llama-3_1"',
    });
    expect(detectFormat('mistral')).toMatchObject({ confidence: 'low', evidence: 'the model name holds "mistral"' });
  });

  test('without end is none', () => {
    expect(detectFormats('qwen3-'.repeat(2 ** 17))).toEqual([]);
  });
});

test('any text is answered, alike in `detectFormat` and `detectFormats`', () => {
  const pieces = [
    ...templates.map(([, , template]) => template),
    ...names.map(([name]) => name),
    '\\',
    '{#',
    "' + '",
    '/',
  ];
  const text = fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'binary' })), { maxLength: 6 });
  fc.assert(
    fc.property(
      text.map((parts) => parts.join('')),
      (input) => {
        const formats = detectFormats(input);
        expect(formats[0]).toEqual(detectFormat(input));
        expect(new Set(formats.map((format) => format.parser)).size).toBe(formats.length);
      },
    ),
    { numRuns: 500 },
  );
});

describe('the tables', () => {
  const folder = new URL('../../test/vectors/tool-calls/', import.meta.url);
  const formats = readdirSync(folder).flatMap((file) => (file.endsWith('.jsonl') ? [file.slice(0, -6)] : []));
  const reachable = new Set([...nameRules, ...templateRules].flatMap((rule) => rule.parsers));

  test('name parsers of this package, every one of them', () => {
    // `qwen3_xml` is another name of `qwen3_coder`.
    expect([...reachable].sort()).toEqual(formats.filter((name) => name !== 'qwen3_xml').sort());
  });

  test('have no row that an earlier one hides', () => {
    for (const rule of nameRules) {
      for (const name of rule.names) {
        const spelled = [name.replace('^ ', '').replace(' $', ''), ...(rule.with ?? [])].join('-');
        const parsers = detectFormats(spelled).map((format) => format.parser);
        expect([spelled, parsers]).toEqual([spelled, rule.parsers]);
      }
    }
  });
});
