import { errorMessage, isJsonObject, type JsonObject, type JsonValue, TaskError } from '@talaria/core';
import type { z } from 'zod';
import { createSchemaCompiler } from './argument-check.ts';
import type { SideEffect, Tool, ToolAvailability, ToolCallContext, ToolResult } from './tool.ts';
import { isZodSchema, parameterSchemaOf, withParsedArguments } from './zod-parameters.ts';

/** What {@link defineTool} takes. `Args` is the type of the arguments, as the schema describes them. */
export interface ToolOptions<Args extends object = JsonObject> {
  /** `^[a-zA-Z0-9_-]{1,64}$`, unique in its registry. */
  readonly name: string;
  /** What the model is told; a function where it depends on which other tools are offered. */
  readonly description: string | ((availableTools: ReadonlySet<string>) => string);
  /** JSON Schema (draft 2020-12) of the arguments object. Key order reaches the prompt. */
  readonly parameters: JsonObject;
  /** The set that it belongs to. */
  readonly toolset: string;
  /** @default false */
  readonly isParallelSafe?: boolean | undefined;
  /** @default 'sandbox' */
  readonly sideEffect?: SideEffect | undefined;
  /** Wall clock of one call. @default the dispatcher's */
  readonly timeoutMs?: number | undefined;
  /** See {@link Tool.maxResultChars}. @default 100_000 */
  readonly maxResultChars?: number | undefined;
  /** See {@link Tool.checkAvailability}. @default available */
  readonly checkAvailability?: (() => ToolAvailability) | undefined;
  /** See {@link Tool.prepareArguments}. */
  readonly prepareArguments?: ((args: JsonObject) => JsonObject) | undefined;
  /** See {@link Tool.shellCommand}. */
  readonly shellCommand?: ((args: Args) => string | undefined) | undefined;
  /** See {@link Tool.execute}. */
  readonly execute: (args: Args, context: ToolCallContext) => JsonValue | ToolResult | Promise<JsonValue | ToolResult>;
}

/** {@link ToolOptions} whose arguments are described by a schema of zod, from which their type follows. */
export interface ZodToolOptions<Schema extends z.ZodObject>
  extends Omit<ToolOptions<z.output<Schema>>, 'parameters' | 'shellCommand'> {
  /** Becomes JSON Schema for the model; `.describe()` says what each field means, and defaults are filled in. */
  readonly parameters: Schema;
}

/**
 * Defines a tool. `parameters` is a schema of zod, from which the arguments get their type, or JSON Schema.
 *
 * @throws TaskError `task.invalid-tool` for a name that providers refuse, or a schema that is none of an object
 */
export function defineTool<Schema extends z.ZodObject>(options: ZodToolOptions<Schema>): Tool;
export function defineTool<Args extends object = JsonObject>(options: ToolOptions<Args>): Tool;
export function defineTool(options: ToolOptions | ZodToolOptions<z.ZodObject>): Tool {
  checkName(options.name);
  if (isZodOptions(options)) {
    const { parameters, execute, ...rest } = options;
    const schema = parameterSchemaOf(options.name, parameters);
    checkSchema(options.name, schema);
    return toolFromOptions({ ...rest, parameters: schema, execute: withParsedArguments(parameters, execute) });
  }
  checkSchema(options.name, options.parameters);
  return toolFromOptions(options);
}

function isZodOptions(options: ToolOptions | ZodToolOptions<z.ZodObject>): options is ZodToolOptions<z.ZodObject> {
  return isZodSchema(options.parameters);
}

/** A tool from options that are known to be right: what {@link defineTool} does after its checks. */
export function toolFromOptions<Args extends object>(options: ToolOptions<Args>): Tool {
  const { name, description, parameters, toolset, shellCommand } = options;
  return {
    definition: {
      type: 'function',
      function: {
        name,
        description: typeof description === 'string' ? description : description(new Set()),
        parameters,
      },
    },
    toolset,
    isParallelSafe: options.isParallelSafe ?? false,
    sideEffect: options.sideEffect ?? 'sandbox',
    timeoutMs: options.timeoutMs,
    maxResultChars: options.maxResultChars,
    checkAvailability: options.checkAvailability,
    describe: typeof description === 'string' ? undefined : description,
    prepareArguments: options.prepareArguments,
    // The dispatcher checks the arguments against the schema, which is what Args stands for.
    shellCommand: shellCommand === undefined ? undefined : (args) => shellCommand(args as Args),
    execute: async (args, context) => options.execute(args as Args, context),
  };
}

function checkName(name: string): void {
  if (/^[a-zA-Z0-9_-]{1,64}$/.test(name)) return;
  throw new TaskError(`Tool name ${JSON.stringify(name)} is not one that model providers accept`, {
    code: 'task.invalid-tool',
    hint: 'Use 1 to 64 letters, digits, underscores and hyphens.',
  });
}

function checkSchema(name: string, parameters: JsonObject): void {
  if (!isJsonObject(parameters) || parameters['type'] !== 'object') {
    throw new TaskError(`The parameters of tool ${name} are not a JSON Schema of type "object"`, {
      code: 'task.invalid-tool',
      hint: 'Start with { type: "object", properties: { … }, required: [ … ] }.',
    });
  }
  try {
    createSchemaCompiler()(parameters);
  } catch (cause) {
    throw new TaskError(`The parameters of tool ${name} are not a valid JSON Schema: ${errorMessage(cause)}`, {
      code: 'task.invalid-tool',
      hint: 'Correct the keyword that the message names.',
      cause,
    });
  }
}
