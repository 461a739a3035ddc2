import { errorMessage, isJsonObject, type JsonObject, type JsonValue, TaskError } from '@talaria/core';
import { z } from 'zod';
import type { ToolCallContext, ToolResult } from './tool.ts';
import { toolError } from './tool-result.ts';

/** Whether a value is a schema of zod 4. By shape and not by class: the tool may bring a zod of its own. */
export function isZodSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null && '_zod' in value;
}

/**
 * The JSON Schema of what a model may send, without the name of the draft. @throws TaskError `task.invalid-tool` for what
 * JSON cannot express, such as dates
 */
export function parameterSchemaOf(name: string, schema: z.ZodObject): JsonObject {
  try {
    const { $schema: _draft, ...rest } = z.toJSONSchema(schema, {
      target: 'draft-2020-12',
      io: 'input',
      override: ({ jsonSchema }) => dropSafeLimits(jsonSchema),
    });
    // What zod makes is JSON but for functions and accessors, which this leaves out.
    const plain: unknown = JSON.parse(JSON.stringify(rest));
    if (isJsonObject(plain)) return plain;
    throw new TypeError('it is no object');
  } catch (cause) {
    throw new TaskError(`The parameters of tool ${name} cannot be written as JSON Schema: ${errorMessage(cause)}`, {
      code: 'task.invalid-tool',
      hint: 'Use texts, numbers, booleans, enums, arrays and objects; take dates and the like as text.',
      cause,
    });
  }
}

/** What every whole number keeps anyway would be words in the prompt. */
function dropSafeLimits(schema: { minimum?: number; maximum?: number }): void {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
}

type Execute<Args> = (args: Args, context: ToolCallContext) => JsonValue | ToolResult | Promise<JsonValue | ToolResult>;

/**
 * The function of a tool, given what the schema makes of the arguments: defaults filled in, transforms done. What only the
 * schema can check, such as refinements, becomes a result that names the field.
 */
export function withParsedArguments<Schema extends z.ZodObject>(
  schema: Schema,
  execute: Execute<z.output<Schema>>,
): Execute<JsonObject> {
  return async (args, context) => {
    const parsed = await schema.safeParseAsync(args);
    if (parsed.success) return await execute(parsed.data, context);
    const faults = parsed.error.issues.map(({ path, message }) => `${fieldOf(path)}: ${message}`);
    return toolError('invalid_args', `Wrong arguments: ${faults.join('; ')}.`);
  };
}

function fieldOf(path: readonly PropertyKey[]): string {
  return path.length === 0 ? 'The arguments' : `"${path.map(String).join('.')}"`;
}
