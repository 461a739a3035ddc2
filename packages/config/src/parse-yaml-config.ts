import { ConfigError, isJsonObject, type JsonObject } from '@talaria/core';
import { isScalar, LineCounter, type ParsedNode, parseDocument, visit, type YAMLError } from 'yaml';
import type { ConfigLayer } from './config-layer.ts';
import { expandVariables, type Variables } from './expand-variables.ts';

/**
 * Most characters of a configuration file. It is written by people; what is larger is another file, and would be parsed
 * for minutes.
 */
export const maxConfigFileChars = 1_048_576;

/** Deepest nesting. Only aliases that lead back to themselves go further, and those never end. */
const maxDepth = 100;

/**
 * Parses a configuration file: YAML 1.2, core schema (so that `no` and `on` are texts), with `${NAME}` and
 * `${NAME:-default}` expanded in texts. An empty file and an empty section say nothing.
 * @throws ConfigError `config.bad-yaml` with file, line and column; `config.file-too-large`; `config.missing-variable`
 */
export function parseYamlConfig(text: string, fileName: string, variables: Variables): ConfigLayer {
  const sections = Object.entries(parseMap(text, fileName)).filter(([, value]) => value !== null);
  return { name: fileName, ...expandVariables(Object.fromEntries(sections), variables, fileName) };
}

function parseMap(text: string, fileName: string): JsonObject {
  if (text.length > maxConfigFileChars) {
    throw new ConfigError(`${fileName} is too large for a configuration file: above ${maxConfigFileChars} characters`, {
      code: 'config.file-too-large',
      hint: 'Check that this is the right file; long texts belong into files of their own.',
    });
  }
  const lineCounter = new LineCounter();
  // The library compares every key with every other one; `checkKeysDiffer` looks each up once.
  const options = { schema: 'core', version: '1.2', prettyErrors: true, uniqueKeys: false, lineCounter } as const;
  const document = parseDocument(text, options);
  const [error] = document.errors;
  if (error !== undefined) {
    const [position] = error.linePos ?? [];
    const where = position === undefined ? fileName : `${fileName}:${position.line}:${position.col}`;
    throw badYaml(`${where}: ${describeYamlError(error)}`, hintFor(text, error.pos[0]), error);
  }
  checkKeysDiffer(document.contents, fileName, lineCounter);
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch (cause) {
    throw badYaml(`${fileName}: its aliases cannot be resolved`, 'Write the repeated part out.', cause);
  }
  if (value === null || value === undefined) return {};
  if (!isJsonObject(value)) {
    throw badYaml(`${fileName}:1:1: expected a map of sections, found ${kindOf(value)}`, 'Start with a line `env:`.');
  }
  checkTree(value, fileName, []);
  return value;
}

function hintFor(text: string, offset: number): string {
  const isInVariable = text.slice(offset - 1, offset + 1) === '${';
  return isInVariable
    ? `Inside { } and [ ], put quotes around a text with a variable: "\${NAME}".`
    : 'Check indentation, quotes and brackets there.';
}

/** A key that stands twice in a map would take away what was written first. */
function checkKeysDiffer(contents: ParsedNode | null, fileName: string, lineCounter: LineCounter): void {
  visit(contents, {
    Map(_key, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const name = String(key.value);
        if (seen.has(name)) {
          const { line, col } = lineCounter.linePos(key.range?.[0] ?? 0);
          throw badYaml(`${fileName}:${line}:${col}: the key ${name} stands there twice`, 'Keep one of them.');
        }
        seen.add(name);
      }
    },
  });
}

/** Makes sure that the values end somewhere, and that no key changes what objects are. */
function checkTree(value: unknown, fileName: string, path: readonly string[]): void {
  if (typeof value !== 'object' || value === null) return;
  const where = path.slice(0, 4).join('.');
  if (path.length > maxDepth) {
    throw badYaml(
      `${fileName}: ${where}… nests more than ${maxDepth} levels`,
      'Look for an alias inside its own anchor.',
    );
  }
  for (const [key, inner] of Object.entries(value)) {
    if (key === '__proto__') throw badYaml(`${fileName}: the key __proto__ is not allowed`, 'Remove it.');
    checkTree(inner, fileName, [...path, key]);
  }
}

function badYaml(message: string, hint: string, cause?: unknown): ConfigError {
  return new ConfigError(message, { code: 'config.bad-yaml', hint, cause });
}

/** Advice of the library to programmers is no help to people who write files. */
function describeYamlError(error: YAMLError): string {
  if (error.code === 'MULTIPLE_DOCS') return 'a second document begins; a configuration is one document';
  const message = firstLine(error.message);
  return /call stack/iu.test(message) ? 'brackets are nested too deeply' : message;
}

/** The library adds the place and a picture of the line; the place is told apart. */
function firstLine(message: string): string {
  const [line = message] = message.split('\n');
  return line.replace(/ at line \d+, column \d+:?$/u, '');
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
