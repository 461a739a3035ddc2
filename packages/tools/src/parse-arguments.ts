import { isJsonObject, type JsonObject, parseJson, truncateText } from '@talaria/core';
import { describeValue, requiredFields } from './argument-check.ts';
import type { Tool } from './tool.ts';

/** The arguments object of a call, or what is wrong with the text, in words. */
export type ParsedArguments =
  | { readonly ok: true; readonly args: JsonObject }
  | { readonly ok: false; readonly message: string };

/**
 * Reads the arguments that a model wrote. Nothing is repaired: what is not JSON, or not an object, is told to the model.
 * Absent arguments (`''`, `null`) mean `{}` where the tool requires no field. `given` is text by its type, but providers
 * also send objects and nothing at all.
 */
export function parseArguments(given: unknown, tool: Tool): ParsedArguments {
  if (given === undefined || given === null || given === '') return absentArguments(tool, 'empty');
  if (typeof given !== 'string') return checkObject(given);
  const parsed = parseJson(given);
  if (!parsed.ok) {
    return {
      ok: false,
      message: `The arguments are not valid JSON (${parsed.message}): ${truncateText(given, 200)} — write one JSON object and call the tool again.`,
    };
  }
  return checkObject(parsed.value);
}

/** Levels of lists and objects within each other. What reads arguments calls itself, and must not run out of stack. */
const maxDepth = 200;

function checkObject(value: unknown): ParsedArguments {
  if (!isJsonObject(value)) {
    return { ok: false, message: `The arguments must be a JSON object, but are ${describeValue(value)}.` };
  }
  if (isDeeperThan(value, maxDepth)) {
    return { ok: false, message: `The arguments are nested more than ${maxDepth} levels deep; use a flatter form.` };
  }
  return { ok: true, args: value };
}

function isDeeperThan(value: object, levels: number): boolean {
  let level: readonly object[] = [value];
  for (let depth = 0; depth < levels && level.length > 0; depth += 1) level = level.flatMap(containersIn);
  return level.length > 0;
}

function containersIn(container: object): readonly object[] {
  return Object.values(container).filter((value) => typeof value === 'object' && value !== null);
}

function absentArguments(tool: Tool, state: string): ParsedArguments {
  const required = requiredFields(tool);
  if (required.length === 0) return { ok: true, args: {} };
  return { ok: false, message: `The arguments are ${state}, but ${required.join(', ')} must be given.` };
}
