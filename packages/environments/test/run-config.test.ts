import { describe, expect, test } from '@jest/globals';
import { describeFields } from '@talaria/config';
import { z } from 'zod';
import {
  defineEnvironment,
  environmentConfigSchema,
  type RunConfigSources,
  resolveRunConfig,
  resolveToolsConfig,
} from '../src/index.ts';

const sums = defineEnvironment({
  name: 'sums',
  configSchema: environmentConfigSchema.extend({
    difficulty: z.int().min(1).default(1).describe('How long the sums are.'),
    topics: z.array(z.string()).default([]),
  }),
  configInit: () => ({ env: { group_size: 2, max_agent_turns: 5 }, openai: { model_name: 'small' } }),
  items: [{ left: 1, right: 2 }],
  formatPrompt: ({ left, right }) => `${left} + ${right}`,
  computeReward: async () => 1,
});

type Sources = Partial<RunConfigSources<{ left: number; right: number }, z.infer<typeof sumsSchema>>>;
const sumsSchema = environmentConfigSchema.extend({ difficulty: z.int(), topics: z.array(z.string()) });

function resolve(sources: Sources = {}) {
  return resolveRunConfig({ environment: sums, driver: 'process', variables: {}, ...sources });
}

function yaml(text: string) {
  return { text, fileName: 'run.yaml' };
}

describe('precedence', () => {
  const variables = { TERMINAL_TIMEOUT: '30' };

  test.each([
    ['the default of the schema', {}, 120],
    ["a variable with upstream's name", { variables }, 30],
    ['the file', { variables, yaml: yaml('terminal: {timeout_sec: 40}') }, 40],
    [
      'a variable of ours',
      { variables: { ...variables, TALARIA_TERMINAL_TIMEOUT_SEC: '50' }, yaml: yaml('terminal: {timeout_sec: 40}') },
      50,
    ],
    [
      'a flag',
      {
        variables: { ...variables, TALARIA_TERMINAL_TIMEOUT_SEC: '50' },
        yaml: yaml('terminal: {timeout_sec: 40}'),
        argv: ['--terminal.timeout_sec', '60'],
      },
      60,
    ],
  ])('%s wins over what is below', (_title, sources, expected) => {
    const { config } = resolve(sources);
    expect(config.terminal.timeout_sec).toBe(expected);
    expect(config.env.terminal_timeout).toBe(expected);
  });

  test("the environment's defaults are above the schema's, the driver's above those, the program's above all", () => {
    const process = resolve().config;
    expect(process.env).toMatchObject({
      group_size: 2,
      max_agent_turns: 5,
      max_token_length: 2048,
      ensure_scores_are_not_same: false,
      data_path_to_save_groups: 'data/sums.jsonl',
      agent_temperature: 1,
    });
    expect(resolve({ driver: 'evaluate' }).config.env).toMatchObject({
      agent_temperature: 0,
      ensure_scores_are_not_same: true,
    });
    expect(resolve({ programDefaults: { env: { group_size: 9 } } }).config.env.group_size).toBe(9);
  });

  test('an explicit temperature holds for an evaluation too', () => {
    const { config } = resolve({ driver: 'evaluate', argv: ['--temperature', '0.7'] });
    expect(config.env.agent_temperature).toBe(0.7);
  });
});

describe("an environment's own fields", () => {
  test('work in the file, in variables and in flags', () => {
    expect(resolve({ yaml: yaml('env: {difficulty: 3}') }).config.env.difficulty).toBe(3);
    expect(resolve({ variables: { TALARIA_ENV_DIFFICULTY: '4' } }).config.env.difficulty).toBe(4);
    const { config } = resolve({ argv: ['--env.difficulty=5', '--env.topics', 'a', 'b'] });
    expect(config.env.difficulty).toBe(5);
    expect(config.env.topics).toEqual(['a', 'b']);
  });

  test('are checked like all others', () => {
    expect(() => resolve({ argv: ['--env.difficulty', '0'] })).toThrow(
      expect.objectContaining({ code: 'config.invalid', message: expect.stringContaining('env.difficulty') }),
    );
    expect(() => resolve({ yaml: yaml('env: {dificulty: 3}') })).toThrow(/env\.dificulty \(env\.difficulty\?\)/);
  });

  test('need the base schema below them', () => {
    const broken = { ...sums, configSchema: z.strictObject({ difficulty: z.int().default(1) }) };
    expect(() => resolveRunConfig({ environment: broken, driver: 'process', variables: {} })).toThrow(
      expect.objectContaining({ code: 'task.bad-schema', message: expect.stringContaining('group_size') }),
    );
  });
});

describe('servers', () => {
  test.each([
    ['the official API', {}, { OPENAI_API_KEY: 'k-open' }, 'k-open', 'OPENAI_API_KEY'],
    [
      'OpenRouter',
      { yaml: yaml('openai: {base_url: https://openrouter.ai/api/v1}') },
      { OPENAI_API_KEY: 'k-open', OPENROUTER_API_KEY: 'k-router' },
      'k-router',
      'OPENROUTER_API_KEY',
    ],
    [
      'a name that only looks like OpenRouter',
      { yaml: yaml('openai: {base_url: https://openrouter.ai.example.com/v1}') },
      { OPENAI_API_KEY: 'k-open', OPENROUTER_API_KEY: 'k-router' },
      'k-open',
      'OPENAI_API_KEY',
    ],
    [
      'a known provider by its address',
      { argv: ['--base-url', 'https://api.anthropic.com/v1'] },
      { OPENAI_API_KEY: 'k-open', ANTHROPIC_API_KEY: 'k-claude' },
      'k-claude',
      'ANTHROPIC_API_KEY',
    ],
    [
      'a known provider by the name of the model',
      { argv: ['--model', 'groq/llama'] },
      { OPENAI_API_KEY: 'k-open', GROQ_API_KEY: 'k-groq' },
      'k-groq',
      'GROQ_API_KEY',
    ],
    [
      'a server of your own that a variable names',
      {},
      { OPENAI_BASE_URL: 'http://127.0.0.1:8000/v1', OPENAI_API_KEY: 'k-open' },
      'k-open',
      'OPENAI_API_KEY',
    ],
    [
      'a provider whose configured key is that of another',
      { yaml: yaml(`openai: {base_url: https://api.x.ai/v1, api_key: "\${OPENAI_API_KEY}"}`) },
      { OPENAI_API_KEY: 'k-open', XAI_API_KEY: 'k-xai' },
      'k-xai',
      'XAI_API_KEY',
    ],
  ])('the key of %s comes from its variable and is written as its name', (_title, sources, variables, key, name) => {
    const resolved = resolve({ ...sources, variables });
    expect(resolved.config.openai[0]?.api_key).toBe(key);
    expect(resolved.describe()['openai']).toMatchObject({ api_key: `\${${name}}` });
    expect(resolved.secrets.map((secret) => secret.reveal())).toEqual([key]);
    expect(JSON.stringify(resolved.describe())).not.toContain(key);
  });

  test('what variables put into the texts for servers of tools is secret, too', () => {
    const variables = {
      OPENAI_API_KEY: 'k-open',
      TICKETS_KEY: 'k-tickets',
      GRID: 'wss://grid.example/?k=key-of-the-grid',
      HOME: '/home/me',
    };
    const text = `
      tools: {mcp_servers: {tickets: {url: "https://t.example", headers: {X-Auth: "Bearer \${TICKETS_KEY}"}}}}
      browser: {driver: playwright, cdp_url: "\${GRID}"}
      env: {system_prompt: "\${HOME}"}`;
    expect(resolve({ yaml: yaml(text), variables }).secrets.map(({ name }) => name)).toEqual([
      'OPENAI_API_KEY',
      'TICKETS_KEY',
      'GRID',
    ]);
    const tools = resolveToolsConfig({ variables, yaml: yaml(text) });
    expect(tools.secrets.map((secret) => secret.reveal())).toEqual(['k-tickets', 'key-of-the-grid']);
  });

  test.each([
    ['of one provider to another by its address', { argv: ['--base-url', 'https://api.anthropic.com/v1'] }],
    ['of one provider to another by the name of the model', { argv: ['--model', 'anthropic/claude-sonnet-4-5'] }],
    ['of one provider to another in a list', { yaml: yaml('openai: [{model_name: gemini/x}, {model_name: xai/y}]') }],
    ['to a server on this machine that only the name chose', { argv: ['--model', 'ollama/qwen3:8b'] }],
    [
      'to an address that the environment brings',
      { environment: { ...sums, configInit: () => ({ openai: { base_url: 'https://llm.example.com/v1' } }) } },
    ],
    [
      'that is configured, where it is known to be of another',
      { yaml: yaml(`openai: {base_url: https://api.x.ai/v1, api_key: "\${OPENAI_API_KEY}"}`) },
    ],
  ])('no key is given %s', (_title, sources) => {
    const resolved = resolve({ ...sources, variables: { OPENAI_API_KEY: 'k-open' } });
    expect(resolved.config.openai.map((server) => server.api_key ?? null)).not.toContain('k-open');
    expect(JSON.stringify(resolved.describe())).not.toContain('OPENAI_API_KEY');
  });

  test('a literal key is refused wherever it stands', () => {
    const refused = expect.objectContaining({ code: 'config.literal-secret' });
    expect(() => resolve({ yaml: yaml('openai: {api_key: sk-1}') })).toThrow(refused);
    expect(() => resolve({ yaml: yaml('openai: [{api_key: sk-1}]') })).toThrow(refused);
    expect(() => resolve({ yaml: yaml('openai: [{model_name: a}, {api_key: sk-1}]') })).toThrow(refused);
    expect(() => resolve({ argv: ['--openai.api_key', 'sk-1'] })).toThrow(refused);
  });

  test('a list of one is laid over the default server', () => {
    const { config } = resolve({ yaml: yaml('openai: [{base_url: http://localhost:1/v1}]') });
    expect(config.openai).toHaveLength(1);
    expect(config.openai[0]).toMatchObject({ model_name: 'small', base_url: 'http://localhost:1/v1' });
  });

  const several = `openai: [{model_name: a, api_key: "\${KEY_A}"}, {model_name: b, base_url: http://localhost:2/v1}]`;

  test('several stand for themselves, each with its own key', () => {
    const resolved = resolve({ yaml: yaml(several), variables: { KEY_A: 'secret-a', OPENAI_API_KEY: 'secret-b' } });
    expect(resolved.config.openai.map((server) => [server.model_name, server.api_key])).toEqual([
      ['a', 'secret-a'],
      ['b', 'secret-b'],
    ]);
    expect(resolved.describe()['openai']).toMatchObject([{ api_key: `\${KEY_A}` }, { api_key: `\${OPENAI_API_KEY}` }]);
    expect(JSON.stringify(resolved.describe())).not.toMatch(/secret-/u);
  });

  test.each([
    ['a flag', { argv: ['--openai.timeout', '5'] }],
    ['a friendly flag', { argv: ['--model', 'x'] }],
    ['a variable of ours', { variables: { KEY_A: 'k', TALARIA_OPENAI_TIMEOUT: '5' } }],
  ])('several cannot be changed by %s', (_title, sources) => {
    expect(() => resolve({ variables: { KEY_A: 'k' }, ...sources, yaml: yaml(several) })).toThrow(
      expect.objectContaining({ code: 'config.several-servers' }),
    );
  });

  test('of different kinds are refused', () => {
    expect(() => resolve({ yaml: yaml('openai: [{server_type: vllm}, {model_name: b}]') })).toThrow(
      expect.objectContaining({ code: 'config.invalid' }),
    );
  });
});

describe('what one field alone does not show', () => {
  test.each([
    [
      'an unknown backend',
      ['--backend', 'dokcer'],
      'config.unknown-backend',
      /local, docker, ssh, modal, singularity, daytona/,
    ],
    ['an unknown parser', ['--parser', 'hermse'], 'config.unknown-parser', /Did you mean hermes\?.* qwen3_coder,/],
    ['one near another name of a parser', ['--parser', 'deepsek_v31'], 'config.unknown-parser', /mean deepseek_v31\?/],
    ['one near no parser', ['--parser', 'gpt4'], 'config.unknown-parser', /^There are apertus, .*, xlam\.$/],
    [
      'two ways to choose tools',
      ['--env.distribution', 'default', '--toolsets', 'file'],
      'config.conflict',
      /Keep one/,
    ],
    ['nothing to do', ['--steps', '0'], 'config.invalid', /--steps/],
    ['an unknown flag', ['--max-turn', '3'], 'config.unknown-flag', /--max-turns/],
  ])('%s is refused', (_title, argv, code, hint) => {
    expect(() => resolve({ argv })).toThrow(expect.objectContaining({ code, hint: expect.stringMatching(hint) }));
  });

  test.each<[string, Sources, object]>([
    [
      'a flag',
      { argv: ['--env.distribution', 'default'], programDefaults: { env: {} } },
      { distribution: 'default', enabled_toolsets: null },
    ],
    ['a file', { yaml: yaml('env: {distribution: default}') }, { distribution: 'default', enabled_toolsets: null }],
    [
      'a variable',
      { variables: { TALARIA_ENV_DISTRIBUTION: 'default' } },
      { distribution: 'default', enabled_toolsets: null },
    ],
    ['null, which sets nothing', { argv: ['--env.distribution', 'null'] }, { enabled_toolsets: ['file'] }],
  ])('toolsets of the environment give way to a distribution of %s', (_title, sources, expected) => {
    const environment = { ...sums, configInit: () => ({ env: { enabled_toolsets: ['file'] } }) };
    const resolved = resolve({ ...sources, environment });
    expect(resolved.config.env).toMatchObject(expected);
    expect(resolved.describe()['env']).toMatchObject(expected);
  });

  test('a distribution of the environment gives way to toolsets of the user, and both of the user are refused', () => {
    const environment = { ...sums, configInit: () => ({ env: { distribution: 'default' } }) };
    const toolsets = ['--toolsets', 'file'];
    const { env } = resolve({ environment, argv: toolsets }).config;
    expect(env).toMatchObject({ distribution: null, enabled_toolsets: ['file'] });
    const file = yaml('env: {distribution: default}');
    expect(() => resolve({ environment, yaml: file, argv: toolsets })).toThrow(
      expect.objectContaining({ code: 'config.conflict' }),
    );
  });

  test('an environment that sets both is refused', () => {
    const both = { distribution: 'default', enabled_toolsets: ['file'] };
    const environment = { ...sums, configInit: () => ({ env: both }) };
    expect(() => resolve({ environment })).toThrow(expect.objectContaining({ code: 'config.conflict' }));
  });

  test('a backend that the program cannot open is refused', () => {
    expect(() => resolve({ argv: ['--backend', 'docker'], availableBackends: ['local'] })).toThrow(
      expect.objectContaining({ code: 'config.backend-not-available', hint: expect.stringContaining('local') }),
    );
  });

  test.each(['deepseek_v31', 'deepseek-v3-1', 'mimo', 'openai', 'glm4_moe', 'qwen2_5', 'llama3'])(
    'the parser may be given by the name %s, which others have for it',
    (parser) => {
      expect(resolve({ argv: ['--parser', parser] }).config.env.tool_call_parser).toBe(parser);
      expect(resolve({ yaml: yaml(`env: {tool_call_parser: ${parser}}`) }).config.env.tool_call_parser).toBe(parser);
    },
  );

  test('one setting with two names is one setting', () => {
    expect(resolve({ argv: ['--env.terminal_timeout', '7'] }).config.terminal.timeout_sec).toBe(7);
    expect(
      resolve({ variables: { TERMINAL_TIMEOUT: '5' }, yaml: yaml('env: {terminal_timeout: 6}') }).config.terminal
        .timeout_sec,
    ).toBe(6);
    expect(() => resolve({ yaml: yaml('{env: {terminal_timeout: 6}, terminal: {timeout_sec: 7}}') })).toThrow(
      expect.objectContaining({ code: 'config.conflict' }),
    );
  });

  test('a sandbox outlives its rollout unless somebody says otherwise', () => {
    expect(resolve({ argv: ['--rollout-timeout', '7200'] }).config.terminal.max_lifetime_sec).toBe(7320);
    const { config } = resolve({ argv: ['--rollout-timeout', '7200', '--env.terminal_lifetime', '60'] });
    expect(config.terminal.max_lifetime_sec).toBe(60);
  });

  test('variables of containers cannot break a backend without any', () => {
    const variables = { TERMINAL_CONTAINER_MEMORY: 'lots', TERMINAL_DOCKER_IMAGE: 'x' };
    expect(resolve({ variables }).config.terminal).toMatchObject({ memory_mb: null, image: null });
    const docker = { variables, argv: ['--backend', 'docker'], availableBackends: ['local', 'docker'] as const };
    expect(() => resolve(docker)).toThrow(/TERMINAL_CONTAINER_MEMORY/);
  });
});

test.each([
  ['--env.preview_size_chars', '0', /env\.preview_size_chars/],
  ['--tools.safe_root', 'project', /tools\.safe_root: Expected the absolute path/],
])('%s %s is refused before anything runs', (name, value, message) => {
  expect(() => resolve({ argv: [name, value] })).toThrow(
    expect.objectContaining({ code: expect.stringMatching(/^config\./), message: expect.stringMatching(message) }),
  );
});

test.each<[string, Sources, readonly string[]]>([
  ['nothing that was not set', {}, []],
  [
    'what a file sets',
    { yaml: yaml('testing: true\nenv: {use_wandb: true, batch_size: 8}') },
    ['env.batch_size', 'env.use_wandb', 'testing'],
  ],
  ['what a flag sets', { argv: ['--env.tokenizer_name', 'x'] }, ['env.tokenizer_name']],
  ['what a variable sets', { variables: { ATROPOS_PROXY_URL: 'http://proxy' } }, ['proxy_url']],
  [
    'what one of several servers sets',
    { yaml: yaml('openai: [{model_name: a, rolling_buffer_length: 5}, {model_name: b}]') },
    ['openai.rolling_buffer_length'],
  ],
  [
    'not what is switched off',
    { yaml: yaml('slurm: false\nenv: {use_wandb: false, wandb_name: null}\nopenai: {health_check: false}') },
    [],
  ],
  ['not what the environment sets', { environment: { ...sums, configInit: () => ({ env: { batch_size: 4 } }) } }, []],
])('settings without effect are told: %s', (_title, sources, paths) => {
  const told = resolve(sources).warnings.filter((warning) => warning.startsWith('without effect'));
  expect(told).toEqual(paths.length === 0 ? [] : [`without effect in this version: ${paths.join(', ')}`]);
});

test('unknown keys are refused all at once, or warned of', () => {
  const text = 'env: {group_sise: 1}\nopenai: {modle_name: x}\nslrum: true\n';
  expect(() => resolve({ yaml: yaml(text) })).toThrow(/group_sise.*modle_name.*slrum/s);
  const { warnings } = resolve({ yaml: yaml(text), allowUnknown: true });
  expect(warnings).toHaveLength(3);
});

test('what upstream writes is read', () => {
  const text = `
env:
  enabled_toolsets: ["terminal", "file"]
  max_agent_turns: 10
  max_token_length: 2048
  agent_temperature: 1.0
  terminal_backend: "local"
  group_size: 3
  total_steps: 3
  steps_per_eval: 3
  tokenizer_name: "NousResearch/DeepHermes-3-Llama-3-3B-Preview"
  tool_call_parser: "hermes"
  ensure_scores_are_not_same: false
  use_wandb: false
openai:
  base_url: "https://openrouter.ai/api/v1"
  model_name: "anthropic/some-model"
  server_type: "openai"
  health_check: false
`;
  const { config, warnings } = resolve({ yaml: yaml(text) });
  expect(config.env).toMatchObject({ group_size: 3, enabled_toolsets: ['terminal', 'file'] });
  expect(warnings).toEqual(['without effect in this version: env.steps_per_eval, env.tokenizer_name']);
});

test('the described configuration, read as a file, gives the same configuration', () => {
  const first = resolve({ argv: ['--env.extra_body={"a":{"b":1}}', '--model', 'x', '--env.topics', 'q'] });
  const again = resolve({ yaml: yaml(JSON.stringify(first.describe())) });
  expect(again.config).toEqual(first.config);
});

test('every field has a description and a default', () => {
  for (const field of describeFields(environmentConfigSchema)) {
    expect([field.path, field.description]).toEqual([field.path, expect.stringMatching(/\S/u)]);
    expect([field.path, field.defaultValue]).not.toEqual([field.path, undefined]);
  }
});
