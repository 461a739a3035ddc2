// Writes the list of tool-call formats, each with a call as its parser writes it, into the README of the parsers;
// `--check` fails where the README shows another list. Run it with `node --conditions=@talaria/source`.
import { readFileSync, writeFileSync } from 'node:fs';
import { parsers, type ToolCallParser, type ToolSchema } from '../packages/tool-call-parsers/src/index.ts';

const readme = 'packages/tool-call-parsers/README.md';
const begin = '<!-- formats: written by scripts/write-format-docs.ts -->';
const end = '<!-- /formats -->';

/** Which models write calls so. A format without a line here fails the script. */
const models: Readonly<Record<string, string>> = {
  apertus: 'Apertus',
  cohere_command4: 'Cohere Command A, Command R7B',
  deepseek_v3: 'DeepSeek V3, V3-0324, R1-0528',
  deepseek_v3_1: 'DeepSeek V3.1',
  deepseek_v32: 'DeepSeek V3.2',
  deepseek_v4: 'DeepSeek V4',
  ernie45: 'ERNIE 4.5 Thinking',
  functiongemma: 'FunctionGemma',
  gemma4: 'Gemma 4',
  gigachat3: 'GigaChat 3',
  glm45: 'GLM-4.5, GLM-4.6',
  glm47: 'GLM-4.7, GLM-5',
  gpt_oss: 'gpt-oss (Harmony)',
  granite: 'Granite 3',
  'granite-20b-fc': 'Granite 20B Function Calling',
  granite4: 'Granite 4',
  hermes: 'Hermes 2 Pro, 3, 4, and many others',
  hunyuan_a13b: 'Hunyuan A13B',
  hy_v3: 'Hunyuan 3',
  internlm: 'InternLM 2.5, 3, Intern-S1',
  jamba: 'Jamba',
  kimi_k2: 'Kimi K2',
  kimi_k3: 'Kimi K3',
  lfm2: 'LFM2',
  llama3_json: 'Llama 3.1, 3.2, 3.3',
  llama4_json: 'Llama 4, with a JSON template',
  llama4_pythonic: 'Llama 4',
  longcat: 'LongCat Flash',
  minicpm5: 'MiniCPM 5',
  minimax: 'MiniMax-M1',
  minimax_m2: 'MiniMax-M2',
  minimax_m3: 'MiniMax-M3',
  mistral: 'Mistral, Ministral, Devstral, Magistral',
  olmo3: 'OLMo 3',
  phi4_mini_json: 'Phi-4 mini',
  pythonic: 'Llama 3.2, ToolACE',
  qwen: 'Qwen 2.5, Qwen 3, QwQ',
  qwen3_coder: 'Qwen3-Coder, Qwen 3.5, MiMo V2, Step 3.5',
  qwen3_xml: 'the same, under another name of vLLM',
  seed_oss: 'Seed-OSS',
  step3: 'Step 3',
  xlam: 'xLAM',
};

const tools: readonly ToolSchema[] = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      parameters: { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } } },
    },
  },
];

function code(text: string): string {
  return `\`${text}\``;
}

function tableRow(parser: ToolCallParser): string {
  const made = models[parser.name];
  if (made === undefined) throw new Error(`scripts/write-format-docs.ts says no models of ${parser.name}`);
  return `| ${code(parser.name)} | ${(parser.aliases ?? []).map(code).join(', ')} | ${made} |`;
}

function sample(parser: ToolCallParser): string {
  const text = parser.render([{ name: 'get_weather', arguments: { city: 'Oslo', days: 2 } }], { tools });
  return `${code(parser.name)}\n\n\`\`\`text\n${text}\n\`\`\``;
}

function list(): string {
  const sorted = [...parsers].sort((left, right) => (left.name < right.name ? -1 : 1));
  return [
    begin,
    '',
    '| name | other names | models |',
    '|---|---|---|',
    ...sorted.map(tableRow),
    '',
    'The same call, `get_weather({"city": "Oslo", "days": 2})`, in each of them:',
    '',
    sorted.map(sample).join('\n\n'),
    '',
    end,
  ].join('\n');
}

const text = readFileSync(readme, 'utf8');
const [before = '', rest = ''] = text.split(begin);
const [, after] = rest.split(end);
if (after === undefined) throw new Error(`${readme} has no place for the list of formats: ${begin} … ${end}`);
const wanted = before + list() + after;
if (process.argv.includes('--check')) {
  if (wanted !== text) throw new Error(`The formats in ${readme} are out of date: pnpm write:docs`);
} else writeFileSync(readme, wanted);
