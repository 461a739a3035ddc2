import type { ToolSchema } from '../tool-call-parser.ts';
import { demand, show } from './contract-case.ts';
import { isPlainObject } from './json-value.ts';

/** What a call of a vector must be. */
export interface ExpectedToolCall {
  readonly name: string;
  /** The value that the arguments' text must have. */
  readonly arguments: unknown;
  /** The arguments' text, where its spelling matters. */
  readonly argumentsJson?: string | undefined;
  /** The id, where the format fixes it. */
  readonly id?: string | undefined;
}

/** A model's text and what it says. */
export interface ToolCallVector {
  /** Unique in its list. */
  readonly name: string;
  readonly input: string;
  readonly tools?: readonly ToolSchema[] | undefined;
  /** `null` where there are calls and no other text. */
  readonly content: string | null;
  readonly toolCalls: readonly ExpectedToolCall[];
}

/**
 * Reads vectors from JSON Lines as Talaria keeps them: `{name, input, tools?, expect: {content, tool_calls}}`.
 * @param file - what the lines are called in messages
 * @throws ContractFailure for a line that is no vector, SyntaxError for one that is no JSON
 */
export function readToolCallVectors(jsonLines: string, file = 'vectors'): readonly ToolCallVector[] {
  return jsonLines
    .split('\n')
    .flatMap((line, index) => (line.trim() === '' ? [] : [readVector(line, `${file}, line ${index + 1}`)]));
}

function readVector(line: string, place: string): ToolCallVector {
  const value: unknown = JSON.parse(line);
  const expected = isPlainObject(value) ? value['expect'] : undefined;
  demand(
    isPlainObject(value) &&
      typeof value['name'] === 'string' &&
      typeof value['input'] === 'string' &&
      isPlainObject(expected) &&
      Array.isArray(expected['tool_calls']),
    () => `${place}: no vector {name, input, expect: {content, tool_calls}}: ${show(value)}`,
  );
  const { content, tool_calls: calls } = expected;
  const named = `${place}, "${value['name']}"`;
  demand(
    content === null || typeof content === 'string',
    () => `${named}: the expected content is neither a string nor null: ${show(content)}`,
  );
  return {
    name: value['name'],
    input: value['input'],
    tools: readTools(value['tools'], named),
    content,
    toolCalls: calls.map((call: unknown) => readCall(call, named)),
  };
}

function readTools(value: unknown, place: string): readonly ToolSchema[] | undefined {
  if (value === undefined || value === null) return undefined;
  demand(Array.isArray(value), () => `${place}: the tools are no list: ${show(value)}`);
  return value.map((tool: unknown) => {
    demand(
      isToolSchema(tool),
      () => `${place}: a tool is neither a function with a name nor of another type: ${show(tool)}`,
    );
    return tool;
  });
}

function isToolSchema(value: unknown): value is ToolSchema {
  if (!isPlainObject(value)) return false;
  const { type, function: declared } = value;
  if (typeof type === 'string' && type !== 'function') return true;
  return typeof (isPlainObject(declared) ? declared : value)['name'] === 'string';
}

function readCall(value: unknown, place: string): ExpectedToolCall {
  demand(
    isPlainObject(value) && typeof value['name'] === 'string',
    () => `${place}: an expected call is no {name, arguments}: ${show(value)}`,
  );
  return {
    name: value['name'],
    arguments: value['arguments'],
    argumentsJson: typeof value['arguments_json'] === 'string' ? value['arguments_json'] : undefined,
    id: typeof value['id'] === 'string' ? value['id'] : undefined,
  };
}
