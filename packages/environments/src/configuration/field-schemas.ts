import { z } from 'zod';

/** A text with a default. */
export function text(defaultValue: string, description: string): z.ZodDefault<z.ZodString> {
  return z.string().default(defaultValue).describe(description);
}

/** A text, or null, which is the default. */
export function optionalText(description: string): z.ZodDefault<z.ZodNullable<z.ZodString>> {
  return z.string().nullable().default(null).describe(description);
}

/** A number above 0, or null, which is the default. */
export function optionalNumber(description: string): z.ZodDefault<z.ZodNullable<z.ZodNumber>> {
  return z.number().positive().nullable().default(null).describe(description);
}

/** A whole number with a default. */
export function wholeNumber(defaultValue: number, description: string, minimum?: number): z.ZodDefault<z.ZodInt> {
  const schema = minimum === undefined ? z.int() : z.int().min(minimum);
  return schema.default(defaultValue).describe(description);
}

/** Most things at the same time: each takes memory before it begins, so that a slip of a digit must not start it. */
const maxAtOnce = 10_000;

/** A number of things that are done at the same time, with a default. */
export function countAtOnce(defaultValue: number, description: string, minimum = 1): z.ZodDefault<z.ZodInt> {
  return z.int().min(minimum).max(maxAtOnce).default(defaultValue).describe(description);
}

/** True or false, with a default. */
export function flag(defaultValue: boolean, description: string): z.ZodDefault<z.ZodBoolean> {
  return z.boolean().default(defaultValue).describe(description);
}

/** A list of texts, empty by default. */
export function textList(description: string): z.ZodDefault<z.ZodArray<z.ZodString>> {
  return z.array(z.string()).default([]).describe(description);
}
