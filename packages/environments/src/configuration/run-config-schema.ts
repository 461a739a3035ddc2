import { describeFields, type FieldDescription } from '@talaria/config';
import { type JsonObject, TaskError } from '@talaria/core';
import { z } from 'zod';
import type { Environment } from '../environment.ts';
import { type BrowserConfig, browserConfigSchema } from './browser-config.ts';
import { type EnvironmentConfig, environmentConfigSchema } from './environment-config.ts';
import { flag, optionalText, wholeNumber } from './field-schemas.ts';
import { type ServerConfig, serverConfigSchema } from './server-config.ts';
import { type TerminalConfig, terminalConfigSchema } from './terminal-config.ts';
import { type ToolsConfig, toolsConfigSchema } from './tools-config.ts';
import { type WebConfig, webConfigSchema } from './web-config.ts';

/** Fields that stand at the top of the file. */
const topFields = {
  slurm: flag(false, 'Look for model servers of this SLURM job.'),
  testing: flag(false, 'Answer from canned responses.'),
  max_n_completions: wholeNumber(8, 'Most answers asked for in one request.', 1),
  proxy_url: optionalText('Proxy between the environment and its model servers.'),
};

/** The values of one server's configuration, before several servers become a list. */
export interface SingleServerConfig<Config> {
  readonly env: EnvironmentConfig & Config;
  readonly openai: ServerConfig;
  readonly terminal: TerminalConfig;
  readonly tools: ToolsConfig;
  readonly web: WebConfig;
  readonly browser: BrowserConfig;
  readonly slurm: boolean;
  readonly testing: boolean;
  readonly max_n_completions: number;
  readonly proxy_url: string | null;
}

/**
 * The schema of a whole configuration file for an environment.
 * @throws TaskError `task.bad-schema` where the environment's schema is not the base schema, extended
 */
export function runConfigSchema<Item extends JsonObject, Config>(
  environment: Environment<Item, Config>,
): z.ZodType<SingleServerConfig<Config>> {
  const own: z.ZodType = environment.configSchema ?? environmentConfigSchema;
  if (!isSchema(own)) throw badSchema(`The configSchema of ${environment.name} is no schema of zod`);
  // That the base fields are there is checked by `checkFields`; that the own ones are is the type of the environment.
  const env = own as z.ZodType<EnvironmentConfig & Config>;
  const schema = z.strictObject({
    env,
    openai: serverConfigSchema,
    terminal: terminalConfigSchema,
    tools: toolsConfigSchema,
    web: webConfigSchema,
    browser: browserConfigSchema,
    ...topFields,
  });
  checkFields(environment.name, describeFields(schema));
  return schema;
}

/** Types of the base fields, by name. */
function listBaseTypes(): ReadonlyMap<string, string> {
  return new Map(describeFields(environmentConfigSchema).map((field) => [field.name, field.type]));
}

function checkFields(environmentName: string, fields: readonly FieldDescription[]): void {
  const known = fields.find((field) => field.name === 'env')?.fields ?? [];
  const knownTypes = new Map(known.map((field) => [field.name, field.type]));
  const base = listBaseTypes();
  const missing = [...base.keys()].filter((name) => !knownTypes.has(name));
  if (missing.length > 0) {
    throw badSchema(`The configSchema of ${environmentName} lacks fields of every environment: ${missing.join(', ')}`);
  }
  for (const [name, type] of base) {
    if (knownTypes.get(name) === type) continue;
    throw badSchema(
      `The configSchema of ${environmentName} makes ${name} ${knownTypes.get(name)}, which is ${type} in every environment`,
    );
  }
  // Such a name could not be told from a path in flags, nor be that of a variable.
  const odd = known.find((field) => !/^[A-Za-z][A-Za-z0-9_]*$/u.test(field.name));
  if (odd === undefined) return;
  throw badSchema(
    `The configSchema of ${environmentName} has a field named ${JSON.stringify(odd.name)}: letters, digits and underscores only`,
  );
}

/** By shape and not by class: the environment may bring a zod of its own. */
function isSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null && '_zod' in value;
}

function badSchema(message: string): TaskError {
  return new TaskError(message, {
    code: 'task.bad-schema',
    hint: 'Extend the base schema: environmentConfigSchema.extend({ my_field: z.int().default(1) }).',
  });
}

/** Every field of an environment's configuration, sections at the top: for flags, variables and help. */
export function describeRunConfig<Item extends JsonObject, Config>(
  environment: Environment<Item, Config>,
): readonly FieldDescription[] {
  return describeFields(runConfigSchema(environment));
}
