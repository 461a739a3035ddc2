import { ConfigError, isJsonObject, type JsonObject } from '@talaria/core';
import { parseDocument } from 'yaml';
import type { ConfigLayer } from './config-layer.ts';
import { expandVariables, type Variables } from './expand-variables.ts';

/**
 * Parses a configuration file: YAML 1.2, core schema (so that `no` and `on` are texts), with `${NAME}` and
 * `${NAME:-default}` expanded in texts. An empty file and an empty section say nothing.
 * @throws ConfigError `config.bad-yaml` with file, line and column; `config.missing-variable`
 */
export function parseYamlConfig(text: string, fileName: string, variables: Variables): ConfigLayer {
  const sections = Object.entries(parseMap(text, fileName)).filter(([, value]) => value !== null);
  return { name: fileName, ...expandVariables(Object.fromEntries(sections), variables, fileName) };
}

function parseMap(text: string, fileName: string): JsonObject {
  const document = parseDocument(text, { schema: 'core', version: '1.2', prettyErrors: true });
  const [error] = document.errors;
  if (error !== undefined) {
    const [position] = error.linePos ?? [];
    const where = position === undefined ? fileName : `${fileName}:${position.line}:${position.col}`;
    throw badYaml(`${where}: ${firstLine(error.message)}`, 'Check indentation, quotes and brackets there.', error);
  }
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
  return value;
}

function badYaml(message: string, hint: string, cause?: unknown): ConfigError {
  return new ConfigError(message, { code: 'config.bad-yaml', hint, cause });
}

/** The library adds the place and a picture of the line; the place is told apart. */
function firstLine(message: string): string {
  const [line = message] = message.split('\n');
  return line.replace(/ at line \d+, column \d+:?$/u, '');
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
