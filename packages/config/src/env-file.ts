import { parseEnv } from 'node:util';
import type { Variables } from './expand-variables.ts';

/** Adds what a `.env` file says to variables; a variable that is already set stays as it is. */
export function withEnvFile(variables: Variables, text: string): Variables {
  return { ...parseEnv(text), ...definedOnly(variables) };
}

function definedOnly(variables: Variables): Variables {
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined));
}
