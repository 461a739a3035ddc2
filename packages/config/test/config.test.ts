import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import {
  checkUnknownKeys,
  collectSecrets,
  collectVariableSecrets,
  describeFields,
  guardSecrets,
  isSecretName,
  listVariableNames,
  maxConfigFileChars,
  mergeLayers,
  parseYamlConfig,
  plainLayer,
  readVariables,
  redactConfig,
  renderFieldHelp,
  secretField,
  validateConfig,
  withEnvFile,
} from '../src/index.ts';

const schema = z.strictObject({
  env: z
    .strictObject({
      group_size: z.int().min(1).default(4).describe('Rollouts per item.'),
      presets: z.array(z.string()).nullable().default(null).describe('Names.'),
      extra_body: z.record(z.string(), z.json()).nullable().default(null),
      handling: z.enum(['STOP', 'NONE']).default('NONE').describe('What happens.'),
      use_wandb: z.boolean().default(true),
    })
    .describe('the environment')
    .prefault({}),
  openai: z.strictObject({ api_key: secretField('Key.'), base_url: z.string().nullable().default(null) }).prefault({}),
  slurm: z.boolean().default(false).describe('Look around.'),
});
const fields = describeFields(schema);

describe('describeFields', () => {
  test('tells path, type, default, choices, entries, description and secrecy', () => {
    const [env, openai, slurm] = fields;
    expect([env?.type, openai?.type, slurm?.type]).toEqual(['object', 'object', 'boolean']);
    expect(env?.fields.map((field) => [field.path, field.type, field.isNullable, field.defaultValue])).toEqual([
      ['env.group_size', 'integer', false, 4],
      ['env.presets', 'list', true, null],
      ['env.extra_body', 'object', true, null],
      ['env.handling', 'enum', false, 'NONE'],
      ['env.use_wandb', 'boolean', false, true],
    ]);
    expect(env?.fields[1]?.items?.type).toBe('string');
    expect(env?.fields[2]?.entries?.type).toBe('json');
    expect(env?.fields[3]?.choices).toEqual(['STOP', 'NONE']);
    expect(env?.description).toBe('the environment');
    expect(openai?.fields[0]).toMatchObject({ isSecret: true, description: 'Key.', isNullable: true });
  });
});

describe('parseYamlConfig', () => {
  test.each([
    ['an empty file', '', {}],
    ['only a comment', '# nothing\n', {}],
    ['an empty section', 'env:\nopenai:\n  base_url: x\n', { openai: { base_url: 'x' } }],
    ['words that YAML 1.1 took for booleans', 'env: {a: no, b: on, c: true}', { env: { a: 'no', b: 'on', c: true } }],
    ['anchors', 'a: &x {k: 1}\nb: *x\n', { a: { k: 1 }, b: { k: 1 } }],
  ])('reads %s', (_title, text, values) => {
    expect(parseYamlConfig(text, 'run.yaml', {}).values).toEqual(values);
  });

  test.each([
    ['wrong indentation', 'env:\n  a: 1\n b: 2\n', /^run\.yaml:3:1: /],
    ['a bracket that is never closed', 'env: [1, 2\n', /^run\.yaml:\d+:\d+: /],
    ['a key given twice', 'env: 1\nenv: 2\n', /^run\.yaml:2:1: /],
    ['a list at the top', '- a\n', /^run\.yaml:1:1: expected a map of sections, found a list/],
    ['a text at the top', 'hello', /found a string/],
    ['an alias of nothing', 'a: *nothing\n', /run\.yaml/],
  ])('refuses %s, with file, line and column', (_title, text, message) => {
    expect(() => parseYamlConfig(text, 'run.yaml', {})).toThrow(message);
    expect(() => parseYamlConfig(text, 'run.yaml', {})).toThrow(expect.objectContaining({ code: 'config.bad-yaml' }));
  });

  test.each([
    `openai: {api_key: \${KEY}}`,
    `openai: {\n  api_key: \${KEY},\n  model_name: x }`,
    `env: {enabled_toolsets: [\${FIRST}, \${SECOND}]}`,
    `openai: {base_url: http://\${HOST}:8000/v1, model_name: x}`,
  ])('says that a variable between brackets wants quotes: %s', (text) => {
    expect(() => parseYamlConfig(text, 'run.yaml', { KEY: 'k' })).toThrow(
      expect.objectContaining({ code: 'config.bad-yaml', hint: expect.stringContaining(`quotes around`) }),
    );
  });

  test('refuses a bomb of aliases', () => {
    const levels = ['a: &a [x,x,x,x,x,x,x,x,x]'];
    for (let level = 0; level < 9; level += 1) {
      const [from, to] = [String.fromCharCode(97 + level), String.fromCharCode(98 + level)];
      levels.push(`${to}: &${to} [${Array.from({ length: 9 }, () => `*${from}`).join(',')}]`);
    }
    expect(() => parseYamlConfig(levels.join('\n'), 'run.yaml', {})).toThrow(
      expect.objectContaining({ code: 'config.bad-yaml' }),
    );
  });

  test('expands variables, keeps where they stood, and leaves an escaped one alone', () => {
    const text = `env: {a: "\${A}", b: "x-\${B:-two}-\${A}", c: "$\${A}", d: ["\${A}"], e: "\${EMPTY:-three}"}`;
    const layer = parseYamlConfig(text, 'run.yaml', { A: 'one', EMPTY: '' });
    expect(layer.values).toEqual({ env: { a: 'one', b: 'x-two-one', c: `\${A}`, d: ['one'], e: 'three' } });
    expect([...layer.templates.keys()]).toEqual(['env.a', 'env.b', 'env.d[0]', 'env.e']);
  });

  test('names every variable that is not set', () => {
    expect(() => parseYamlConfig(`env: {a: "\${A}", b: "\${B}"}`, 'run.yaml', {})).toThrow(
      expect.objectContaining({
        code: 'config.missing-variable',
        message: expect.stringMatching(/\{A\} at env\.a, .*\{B\} at env\.b/),
        hint: expect.stringContaining(`\${NAME:-default}`),
      }),
    );
  });

  test.each([
    ['a map that holds itself', 'env: &e\n  extra_body: *e\n', /nests more than 100 levels/],
    ['a list that holds itself', 'env:\n  extra_body: &e [*e]\n', /nests more than 100 levels/],
    ['brackets without end', `env: ${'['.repeat(20_000)}`, /nested too deeply/],
    ['a key that would change objects', 'env:\n  __proto__: {group_size: 7}\n', /__proto__ is not allowed/],
    ['a second document', '---\nenv: {}\n---\nenv: {}\n', /run\.yaml:3:1: a second document begins/],
    ['a key given twice', 'env:\n  a: 1\n  a: 2\n', /run\.yaml:3:3: the key a stands there twice/],
    ['a key given twice in two spellings', 'env: {1: a, "1": b}', /the key 1 stands there twice/],
  ])('refuses %s', (_name, text, message) => {
    expect(() => parseYamlConfig(text, 'run.yaml', {})).toThrow(
      expect.objectContaining({ code: 'config.bad-yaml', message: expect.stringMatching(message) }),
    );
  });

  test('refuses a file that is no configuration by its size', () => {
    const text = `env: {name: "${'x'.repeat(maxConfigFileChars)}"}`;
    expect(() => parseYamlConfig(text, 'run.yaml', {})).toThrow(
      expect.objectContaining({ code: 'config.file-too-large', message: expect.stringContaining('run.yaml') }),
    );
  });

  test('takes no variable from the prototype of an object', () => {
    expect(() => parseYamlConfig(`env: {a: "\${toString}"}`, 'run.yaml', {})).toThrow(/toString/);
  });

  test('never does anything but parse or throw a ConfigError', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', ':', ' ', '\n', '-', '*', '&', '{', '[', '"', '$', '}', '!') }),
        (text) => {
          try {
            parseYamlConfig(text, 'run.yaml', {});
          } catch (error) {
            expect(error).toEqual(expect.objectContaining({ code: expect.stringMatching(/^config\./) }));
          }
        },
      ),
    );
  });
});

describe('readVariables', () => {
  const table = [
    { name: 'OTHER_SIZE', path: 'env.group_size' },
    { name: 'OTHER_KEY', path: 'openai.api_key' },
    { name: 'SECOND_KEY', path: 'openai.api_key' },
  ];

  test('reads names of the table and derived names, as what their fields take', () => {
    const { known, derived, warnings } = readVariables(
      {
        OTHER_SIZE: '7',
        OTHER_KEY: '',
        SECOND_KEY: 'k2',
        TALARIA_ENV_PRESETS: 'a,b',
        TALARIA_ENV_USE_WANDB: 'off',
        TALARIA_SLURM: '1',
        HOME: '/x',
      },
      { fields, table },
    );
    expect(known.values).toEqual({ env: { group_size: 7 }, openai: { api_key: 'k2' } });
    expect(known.templates).toEqual(new Map([['openai.api_key', `\${SECOND_KEY}`]]));
    expect(derived.values).toEqual({ env: { presets: ['a', 'b'], use_wandb: false }, slurm: true });
    expect(warnings).toEqual([]);
  });

  test.each([
    ['OTHER_SIZE', 'many', /OTHER_SIZE sets env\.group_size, which does not take "many"/, 'a whole number'],
    ['TALARIA_ENV_HANDLING', 'X', /TALARIA_ENV_HANDLING/, 'one of STOP, NONE'],
  ])('a wrong value names %s, the value and what is expected', (name, value, message, expected) => {
    expect(() => readVariables({ [name]: value }, { fields, table })).toThrow(message);
    expect(() => readVariables({ [name]: value }, { fields, table })).toThrow(
      expect.objectContaining({ code: 'config.bad-variable', hint: expect.stringContaining(expected) }),
    );
  });

  test('warns of a derived name that means nothing, with the nearest', () => {
    const variables = { TALARIA_ENV_GROUP_SIZ: '1', TALARIA_EXEC_ID: 'x', TALARIA_QQQQQQQQQQ: '1' };
    const { warnings } = readVariables(variables, { fields, table, otherNames: ['TALARIA_EXEC_ID'] });
    expect(warnings).toEqual([
      'The variable TALARIA_ENV_GROUP_SIZ is set but means nothing; did you mean TALARIA_ENV_GROUP_SIZE?',
      'The variable TALARIA_QQQQQQQQQQ is set but means nothing',
    ]);
  });

  test('every field has a name of its own', () => {
    const names = listVariableNames(fields).map((entry) => entry.name);
    expect(names).toContain('TALARIA_OPENAI_BASE_URL');
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('mergeLayers', () => {
  test('maps merge deeply, lists and single values replace, null is a value', () => {
    const merged = mergeLayers([
      plainLayer('low', { env: { extra_body: { a: 1, b: { c: 1 } }, presets: ['x', 'y'], group_size: 1 } }),
      plainLayer('high', { env: { extra_body: { b: { d: 2 } }, presets: ['z'], group_size: null } }),
    ]);
    expect(merged.values).toEqual({
      env: { extra_body: { a: 1, b: { c: 1, d: 2 } }, presets: ['z'], group_size: null },
    });
    expect(merged.sources.get('env.extra_body.a')).toBe('low');
    expect(merged.sources.get('env.presets')).toBe('high');
  });

  test('a value that is replaced loses its template', () => {
    const merged = mergeLayers([
      {
        name: 'file',
        values: { a: 'x', b: 'y' },
        templates: new Map([
          ['a', `\${A}`],
          ['b', `\${B}`],
        ]),
      },
      plainLayer('flags', { a: 'z' }),
    ]);
    expect(merged.templates).toEqual(new Map([['b', `\${B}`]]));
  });

  test('a map without entries changes nothing of what is below it', () => {
    const file = {
      name: 'file',
      values: { openai: { api_key: 'k', list: {} } },
      templates: new Map([['openai.api_key', `\${KEY}`]]),
    };
    const merged = mergeLayers([file, plainLayer('flags', { openai: {} })]);
    expect(merged).toEqual(mergeLayers([file]));
    expect(merged.sources.get('openai.api_key')).toBe('file');
    expect(mergeLayers([plainLayer('a', { x: 1 }), plainLayer('b', { x: {} })]).sources.get('x')).toBe('b');
  });

  test('a map that replaces a single value takes its place', () => {
    expect(mergeLayers([plainLayer('a', { x: 1 }), plainLayer('b', { x: { y: 2 } })]).values).toEqual({ x: { y: 2 } });
  });

  test('the order of layers decides, whatever they hold', () => {
    fc.assert(
      fc.property(fc.array(fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.integer())), (objects) => {
        const merged = mergeLayers(objects.map((values, index) => plainLayer(String(index), values)));
        expect(merged.values).toEqual(Object.assign({}, ...objects));
      }),
    );
  });
});

test('the variables in texts that may hold secrets are found by names and in addresses', () => {
  const variables = {
    KEY: 'k-1',
    PAT: 'k-2',
    HOME: '/home/me',
    REPO: 'torvalds/linux',
    EMPTY_KEY: '',
    DATABASE: 'postgres://me:p%40ss@db.example/x?sslkey=k-3&plain',
    LOGIN: 'of-the-cookie',
    OTHER: 'o',
  };
  const text = `
    tools: {server: {headers: {Authorization: "Bearer \${KEY}"}, args: ["--pat=\${PAT}\${EMPTY_KEY}", "\${HOME}/x", "\${REPO}"]}}
    more: {server: {env: {DATABASE_URL: "\${DATABASE}", HOME: "\${HOME}"}, headers: {Cookie: "\${LOGIN}"}}}
    env: {name: "\${OTHER}", key: "\${ABSENT:-fallback}"}`;
  const { templates } = parseYamlConfig(text, 'run.yaml', variables);
  const found = (within: string) =>
    collectVariableSecrets(templates, variables, (path) => path.startsWith(within)).map((secret) => [
      secret.name,
      secret.reveal(),
    ]);
  expect(found('tools.')).toEqual([
    ['KEY', 'k-1'],
    ['PAT', 'k-2'],
  ]);
  expect(found('more.')).toEqual([
    ['DATABASE', 'p%40ss'],
    ['DATABASE', 'p@ss'],
    ['DATABASE', 'k-3'],
    ['LOGIN', 'of-the-cookie'],
  ]);
  expect(found('env.')).toEqual([]);
});

test.each([
  ['OPENAI_API_KEY', true],
  ['apikey', true],
  ['AWS_ACCESS_KEY_ID', true],
  ['X-Auth', true],
  ['Authorization', true],
  ['PGPASSWORD', true],
  ['GITHUB_PAT', true],
  ['GIT_AUTHOR_NAME', false],
  ['MONKEY', false],
  ['PATH', false],
  ['COMPASS', false],
])('%s is the name of a secret: %j', (name, expected) => {
  expect(isSecretName(name)).toBe(expected);
});

describe('secrets', () => {
  test.each([
    ['a file', 'run.yaml'],
    ['flags', 'flags'],
  ])('a literal one in %s is refused without showing it', (_title, name) => {
    const layer = plainLayer(name, { openai: { api_key: 'sk-literal-secret' } });
    expect(() => guardSecrets(layer, fields, {})).toThrow(
      expect.objectContaining({
        code: 'config.literal-secret',
        message: `${name}: openai.api_key holds a secret in plain text`,
        hint: expect.stringContaining(`\${OPENAI_API_KEY}`),
      }),
    );
  });

  test('a default inside of a placeholder is a literal one', () => {
    const layer = parseYamlConfig(`openai: {api_key: "\${KEY:-sk-literal}"}`, 'run.yaml', {});
    expect(() => guardSecrets(layer, fields, {})).toThrow(expect.objectContaining({ code: 'config.literal-secret' }));
  });

  test.each([null, ''])('%j is none', (value) => {
    const layer = plainLayer('run.yaml', { openai: { api_key: value } });
    expect(guardSecrets(layer, fields, {}).values).toEqual(layer.values);
  });

  test('a placeholder in a flag is expanded, redacted where it is written, and listed', () => {
    const layer = guardSecrets(plainLayer('flags', { openai: { api_key: `\${MY_KEY}` } }), fields, {
      MY_KEY: 's3cret-value',
    });
    expect(layer.values).toEqual({ openai: { api_key: 's3cret-value' } });
    const merged = mergeLayers([layer]);
    expect(redactConfig(merged.values, fields, merged.templates)).toEqual({ openai: { api_key: `\${MY_KEY}` } });
    const [secret] = collectSecrets(merged.values, fields, merged.templates);
    expect(`${secret}`).toBe('[redacted:MY_KEY]');
    expect(secret?.reveal()).toBe('s3cret-value');
  });

  test('one that came from nowhere is left out where it is written', () => {
    expect(redactConfig({ openai: { api_key: 'x', base_url: 'y' } }, fields, new Map())).toEqual({
      openai: { base_url: 'y' },
    });
  });

  test('other values from variables are written as they stood, in lists too', () => {
    const layer = parseYamlConfig(`env: {presets: ["\${A}", b], handling: "\${H}"}`, 'run.yaml', { A: 'a', H: 'STOP' });
    expect(redactConfig(layer.values, fields, layer.templates)).toEqual({
      env: { presets: [`\${A}`, 'b'], handling: `\${H}` },
    });
  });
});

describe('unknown keys', () => {
  const layer = plainLayer('run.yaml', {
    env: { group_sise: 1, extra_body: { anything: 1 }, handling: 'STOP' },
    group_size: 2,
    opnai: {},
  });

  test('are refused all at once, with the nearest names', () => {
    expect(() => checkUnknownKeys(layer, fields, false)).toThrow(
      expect.objectContaining({
        code: 'config.unknown-key',
        message:
          'run.yaml holds unknown keys: env.group_sise (env.group_size?), group_size (env.group_size?), opnai (openai?)',
      }),
    );
  });

  test('are told in part where there are many', () => {
    const many = plainLayer(
      'run.yaml',
      Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`q${index}`, 1])),
    );
    expect(() => checkUnknownKeys(many, fields, false)).toThrow(/ and 4990 more$/);
  });

  test.each([
    ['a number', { env: 3 }, 'env is 3'],
    ['a list', { openai: [1] }, 'openai is [1]'],
  ])('a section that is %s is refused, rather than hiding what lower layers say', (_name, values, text) => {
    expect(() => checkUnknownKeys(plainLayer('run.yaml', values), fields, false)).toThrow(
      expect.objectContaining({ code: 'config.invalid', message: expect.stringContaining(`run.yaml: ${text}`) }),
    );
  });

  test('are dropped with a warning each where that is allowed', () => {
    const checked = checkUnknownKeys(layer, fields, true);
    expect(checked.layer.values).toEqual({ env: { extra_body: { anything: 1 }, handling: 'STOP' } });
    expect(checked.warnings).toHaveLength(3);
  });
});

describe('validateConfig', () => {
  test('says what does not fit, what it is and where it comes from', () => {
    const merged = mergeLayers([
      plainLayer('run.yaml', { env: { group_size: 'many' } }),
      plainLayer('flags', { env: { handling: 'X' } }),
    ]);
    expect(() => validateConfig(schema, merged, fields)).toThrow(
      expect.objectContaining({
        code: 'config.invalid',
        message: expect.stringMatching(
          /env\.group_size: .*\(it is "many", from run\.yaml\).*env\.handling: .*\(it is "X", from flags\)/,
        ),
      }),
    );
  });

  test('never shows a secret', () => {
    const merged = mergeLayers([plainLayer('run.yaml', { openai: { api_key: 12345678 } })]);
    expect(() => validateConfig(schema, merged, fields)).toThrow(/^(?!.*12345678)/su);
  });

  test('reads a text that came from a variable as what its field takes', () => {
    const layer = parseYamlConfig(`env: {group_size: "\${N}", use_wandb: "\${W}"}`, 'run.yaml', { N: '9', W: 'no' });
    const config = validateConfig(schema, mergeLayers([layer]), fields);
    expect(config.env).toMatchObject({ group_size: 9, use_wandb: false });
  });
});

test('a .env file sets what is not set', () => {
  expect(withEnvFile({ A: 'kept', B: undefined }, 'A=1\nB="two words"\n# C=3\n')).toEqual({
    A: 'kept',
    B: 'two words',
  });
});

test('help shows every field with its effective default', () => {
  const text = renderFieldHelp(fields, {
    width: 80,
    defaults: { env: { group_size: 3 } },
    aliases: { '--size': 'env.group_size' },
  });
  expect(text).toMatchInlineSnapshot(`
"env: the environment
  --size, --env.group_size N        Rollouts per item. [default: 3]
  --env.presets TEXT...             Names.
  --env.extra_body JSON
  --env.handling STOP|NONE          What happens. [default: NONE]
  --env.use_wandb                   [default: true]

openai:
  --openai.api_key TEXT             Key.
  --openai.base_url TEXT

other:
  --slurm                           Look around. [default: false]"
`);
});
