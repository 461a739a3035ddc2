import { z } from 'zod';

/** The schema of a field that holds a secret: a text or null, `null` by default, redacted wherever it is written. */
export function secretField(description: string): z.ZodDefault<z.ZodNullable<z.ZodString>> {
  return z.string().nullable().default(null).meta({ description, secret: true });
}
