import { isJsonObject, type JsonValue, parseJson } from '@talaria/core';
import type { FieldDescription } from './field-description.ts';

/** Outcome of {@link coerceText}. */
export type CoercedText =
  | { readonly ok: true; readonly value: JsonValue }
  | {
      readonly ok: false;
      /** What the field takes, in words. */
      readonly expected: string;
    };

const trueWords = new Set(['true', '1', 'yes', 'on', 't', 'y']);
const falseWords = new Set(['false', '0', 'no', 'off', 'f', 'n']);
const decimalNumber = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/iu;

/** Whether a text stands for a boolean: `true`, `1`, `yes`, `on`, `t`, `y` and their opposites, in any case. */
export function isBooleanWord(text: string): boolean {
  const word = text.toLowerCase();
  return trueWords.has(word) || falseWords.has(word);
}

/** Whether a text is a number, so that a leading `-` is a sign and no flag. */
export function isNumberText(text: string): boolean {
  return decimalNumber.test(text);
}

/** Reads a text, from a flag or a variable, as the value that a field takes. */
export function coerceText(text: string, field: FieldDescription): CoercedText {
  if (field.isNullable && (text === 'null' || text === 'None')) return { ok: true, value: null };
  const value = readText(text, field);
  return value === undefined ? { ok: false, expected: expectedText(field) } : { ok: true, value };
}

function readText(text: string, field: FieldDescription): JsonValue | undefined {
  switch (field.type) {
    case 'string':
      return text;
    case 'enum':
      return field.choices.find((choice) => choice.toLowerCase() === text.toLowerCase());
    case 'boolean':
      return isBooleanWord(text) ? trueWords.has(text.toLowerCase()) : undefined;
    case 'integer':
    case 'number':
      return readNumber(text, field.type === 'integer');
    case 'list':
      return readList(text, field);
    case 'object':
      return readJson(text, isJsonObject);
    case 'json':
      return readJson(text, () => true) ?? text;
  }
}

function readNumber(text: string, isInteger: boolean): number | undefined {
  const value = Number(text);
  if (!isNumberText(text) || !Number.isFinite(value)) return undefined;
  return isInteger && !Number.isSafeInteger(value) ? undefined : value;
}

/** A JSON array, or entries between commas where the entries are single values. */
function readList(text: string, field: FieldDescription): JsonValue | undefined {
  if (text.trimStart().startsWith('[')) return readJson(text, Array.isArray);
  const { items } = field;
  if (items === null || items.type === 'object' || items.type === 'list') return undefined;
  const entries = text.split(',').map((entry) => coerceText(entry.trim(), items));
  const values = entries.flatMap((entry) => (entry.ok ? [entry.value] : []));
  return values.length === entries.length ? values : undefined;
}

function readJson(text: string, isExpected: (value: JsonValue) => boolean): JsonValue | undefined {
  const result = parseJson(text);
  return result.ok && isExpected(result.value) ? result.value : undefined;
}

/** What a field takes, in words: for messages and help. */
export function expectedText(field: FieldDescription): string {
  const orNull = field.isNullable && field.type !== 'json' ? ' or null' : '';
  return `${typeText(field)}${orNull}`;
}

function typeText(field: FieldDescription): string {
  switch (field.type) {
    case 'string':
      return 'a text';
    case 'enum':
      return `one of ${field.choices.join(', ')}`;
    case 'boolean':
      return 'true or false';
    case 'integer':
      return 'a whole number';
    case 'number':
      return 'a number';
    case 'list':
      return 'a list (several values, commas between them, or a JSON array)';
    case 'object':
      return 'a JSON object';
    case 'json':
      return 'a text or JSON';
  }
}
