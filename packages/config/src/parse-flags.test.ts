import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { describeFields } from './field-description.ts';
import { parseFlags, readFlag } from './parse-flags.ts';
import { secretField } from './secret-field.ts';

const fields = describeFields(
  z.strictObject({
    env: z.strictObject({
      group_size: z.int().default(4),
      ratio: z.number().default(0.5),
      use_wandb: z.boolean().default(true),
      name: z.string().default('x'),
      note: z.string().nullable().default(null),
      presets: z.array(z.string()).nullable().default(null),
      sizes: z.array(z.int()).default([]),
      servers: z.array(z.strictObject({ url: z.string() })).default([]),
      extra_body: z.record(z.string(), z.json()).nullable().default(null),
      limits: z.record(z.string(), z.int()).default({}),
      handling: z.enum(['STOP_TRAIN', 'NONE']).default('NONE'),
      seed: z.int().nullable().default(null),
      deep: z.strictObject({ host: z.string().default('h'), key_path: z.string().default('k') }).prefault({}),
    }),
    openai: z.strictObject({ api_key: secretField('key'), model_name: z.string().default('m') }),
    slurm: z.boolean().default(false),
  }),
);
const ownFields = describeFields(z.strictObject({ json: z.boolean().default(false), run_name: z.string().optional() }));
const aliases = { '--max-size': 'env.group_size', '--wandb': 'env.use_wandb' };

function parse(...argv: readonly string[]) {
  return parseFlags(argv, { fields, aliases, ownFields });
}

describe('flags', () => {
  test.each([
    ['a value after the name', ['--env.name', 'v'], { name: 'v' }],
    ['a value after an equals sign', ['--env.name=v'], { name: 'v' }],
    ['an equals sign inside the value', ['--env.name=a=b'], { name: 'a=b' }],
    ['an empty value', ['--env.name='], { name: '' }],
    ['a bare boolean at the end', ['--env.use_wandb'], { use_wandb: true }],
    ['a bare boolean before another flag', ['--env.use_wandb', '--env.name', 'v'], { use_wandb: true, name: 'v' }],
    ['a negated boolean', ['--no-env.use_wandb'], { use_wandb: false }],
    ['a negative whole number', ['--env.group_size', '-1'], { group_size: -1 }],
    ['a negative number after an equals sign', ['--env.group_size=-1'], { group_size: -1 }],
    ['a negative fraction', ['--env.ratio', '-.5'], { ratio: -0.5 }],
    ['None for a nullable field', ['--env.note', 'None'], { note: null }],
    ['null for a nullable number', ['--env.seed', 'null'], { seed: null }],
    ['None as a text where null is none', ['--env.name', 'None'], { name: 'None' }],
    ['a list by several words', ['--env.presets', 'a', 'b'], { presets: ['a', 'b'] }],
    ['a list by a repeated flag', ['--env.presets', 'a', '--env.presets=b'], { presets: ['a', 'b'] }],
    ['a list as JSON', ['--env.presets', '["a","b"]'], { presets: ['a', 'b'] }],
    ['a list by commas', ['--env.presets=a,b'], { presets: ['a', 'b'] }],
    ['an empty list', ['--env.presets=[]'], { presets: [] }],
    ['no list', ['--env.presets', 'null'], { presets: null }],
    ['a list of numbers', ['--env.sizes', '1', '-2', '3,4'], { sizes: [1, -2, 3, 4] }],
    [
      'a list of objects',
      ['--env.servers', '{"url":"a,b"}', '{"url":"c"}'],
      { servers: [{ url: 'a,b' }, { url: 'c' }] },
    ],
    ['an object as JSON', ['--env.extra_body', '{"a":1}'], { extra_body: { a: 1 } }],
    [
      'a deep path into an object',
      ['--env.extra_body.provider.order=["X"]'],
      { extra_body: { provider: { order: ['X'] } } },
    ],
    ['a text at a deep path', ['--env.extra_body.a.b', 'text'], { extra_body: { a: { b: 'text' } } }],
    [
      'a deep path on top of an object',
      ['--env.extra_body={"a":1}', '--env.extra_body.b=2'],
      { extra_body: { a: 1, b: 2 } },
    ],
    ['a typed entry of a map', ['--env.limits.read-file', '7'], { limits: { 'read-file': 7 } }],
    ['a field of a nested section', ['--env.deep.host', 'x'], { deep: { host: 'x' } }],
    ['a whole number written as a fraction', ['--env.group_size', '5.0'], { group_size: 5 }],
    ['a whole number with an exponent', ['--env.group_size', '1e3'], { group_size: 1000 }],
    ['an enum in another case', ['--env.handling', 'stop_train'], { handling: 'STOP_TRAIN' }],
    ['a friendly flag', ['--max-size', '3'], { group_size: 3 }],
    ['a negated friendly flag', ['--no-wandb'], { use_wandb: false }],
    ['dashes in place of underscores', ['--env.group-size', '3'], { group_size: 3 }],
    ['dashes in place of deep underscores', ['--env.deep.key-path', 'p'], { deep: { key_path: 'p' } }],
    ['dashes of free keys as they are', ['--env.limits.per-day', '3'], { limits: { 'per-day': 3 } }],
  ])('%s', (_title, argv, env) => {
    const { layer, positionals, warnings } = parse(...argv);
    expect(layer.values).toEqual({ env });
    expect(positionals).toEqual([]);
    expect(warnings).toEqual([]);
  });

  test.each(['true', '1', 'yes', 'on', 't', 'y', 'TRUE', 'Yes'])('%s means true', (word) => {
    expect(parse('--env.use_wandb', word).layer.values).toEqual({ env: { use_wandb: true } });
  });

  test.each(['false', '0', 'no', 'off', 'f', 'n', 'OFF'])('%s means false', (word) => {
    expect(parse(`--env.use_wandb=${word}`).layer.values).toEqual({ env: { use_wandb: false } });
  });

  test.each([
    ['no value at the end', ['--env.name'], /needs a value/],
    ['no value before another flag', ['--env.name', '--env.use_wandb'], /needs a value/],
    ['no entry for a list', ['--env.presets'], /at least one value/],
    ['a fraction for a whole number', ['--env.group_size', '1.5'], /does not take "1.5"/],
    ['a word for a number', ['--env.ratio', 'much'], /does not take "much"/],
    ['Infinity for a number', ['--env.ratio', 'Infinity'], /does not take/],
    ['null for a number that is required', ['--env.group_size', 'null'], /does not take "null"/],
    ['a word for a boolean', ['--env.use_wandb=maybe'], /does not take "maybe"/],
    ['an unknown word of an enum', ['--env.handling', 'LATER'], /does not take "LATER"/],
    ['broken JSON for an object', ['--env.extra_body', '{"a":'], /does not take/],
    ['a list for an object', ['--env.extra_body', '[1]'], /does not take/],
    ['broken JSON for a list', ['--env.presets', '["a"'], /does not take/],
    ['a value for a negated flag', ['--no-env.use_wandb=true'], /takes no value/],
  ])('%s is refused', (_title, argv, message) => {
    expect(() => parse(...argv)).toThrow(message);
    expect(() => parse(...argv)).toThrow(expect.objectContaining({ code: 'config.bad-flag' }));
  });

  test.each([
    ['a misspelt name', '--env.group_sze', 'Did you mean --env.group_size?'],
    ['an abbreviation', '--env.use_w', 'Did you mean --env.use_wandb?'],
    ['a name without its section', '--group_size', 'Did you mean --env.group_size?'],
    ['a misspelt friendly flag', '--max-siez', 'Did you mean --max-size?'],
    ['a negated flag that is no boolean', '--no-env.name', 'See --help'],
    ['a section', '--env', 'See --help'],
    ['a prototype', '--env.extra_body.__proto__.x', 'See --help'],
    ['a field below a single value', '--env.name.x', 'Did you mean --env.name?'],
  ])('%s is refused with the nearest name', (_title, flag, hint) => {
    expect(() => parse(flag, '1')).toThrow(
      expect.objectContaining({ code: 'config.unknown-flag', hint: expect.stringContaining(hint) }),
    );
  });

  test('the last of several values counts, with a warning', () => {
    const { layer, warnings } = parse('--env.group_size=1', '--max-size=2');
    expect(layer.values).toEqual({ env: { group_size: 2 } });
    expect(warnings).toEqual(['--max-size was given again; the last value counts']);
  });

  test('words outside of flags are positionals, and everything after -- is', () => {
    const { positionals, layer } = parse('first', '--slurm', 'second', '--env.name', 'v', '--', '--env.name', 'w');
    expect(positionals).toEqual(['first', 'second', '--env.name', 'w']);
    expect(layer.values).toEqual({ slurm: true, env: { name: 'v' } });
  });

  test("the command's own flags are apart from the configuration", () => {
    const { own, layer } = parse('--json', '--run-name', 'first', '--slurm');
    expect(own).toEqual({ json: true, run_name: 'first' });
    expect(layer.values).toEqual({ slurm: true });
  });

  test('a value that does not fit a secret is not shown', () => {
    const secrets = describeFields(z.strictObject({ a: z.strictObject({ pin: z.int().meta({ secret: true }) }) }));
    expect(() => parseFlags(['--a.pin', 'hunter2'], { fields: secrets })).toThrow(/^(?!.*hunter2)/su);
  });

  test('every JSON object survives its flag', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const json = JSON.stringify(value);
        // Such keys are dropped at every depth.
        fc.pre(!json.includes('__proto__'));
        expect(parse(`--env.extra_body=${json}`).layer.values).toEqual({ env: { extra_body: JSON.parse(json) } });
      }),
    );
  });

  test('no argument list does anything but parse or throw a ConfigError', () => {
    const word = fc.oneof(
      fc.constantFrom('--env.presets', '--env.name', '--no-', '--', '-', '-1', '--env.', '=', '--slurm=', 'null'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(word), (argv) => {
        try {
          parse(...argv);
        } catch (error) {
          expect(error).toEqual(expect.objectContaining({ code: expect.stringMatching(/^config\./) }));
        }
      }),
    );
  });
});

describe('readFlag', () => {
  test.each([
    [['--config', 'a.yaml'], 'a.yaml'],
    [['x', '--config=b.yaml', '--env.name', 'v'], 'b.yaml'],
    [['--config', 'a', '--config=b'], 'b'],
    [['--config'], undefined],
    [['--config', '--json'], undefined],
    [['--', '--config', 'a'], undefined],
    [['--other', 'a'], undefined],
  ])('%j', (argv, value) => {
    expect(readFlag(argv, 'config')).toBe(value);
  });
});
