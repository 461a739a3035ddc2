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
 * @throws ContractFailure for a line that is no vector, SyntaxError for one that is no JSON
 */
export function readToolCallVectors(jsonLines: string): readonly ToolCallVector[] {
  return jsonLines
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => readVector(JSON.parse(line), line));
}

function readVector(value: unknown, line: string): ToolCallVector {
  const expected = isPlainObject(value) ? value['expect'] : undefined;
  demand(
    isPlainObject(value) &&
      typeof value['name'] === 'string' &&
      typeof value['input'] === 'string' &&
      isPlainObject(expected) &&
      Array.isArray(expected['tool_calls']),
    () => `No vector {name, input, expect: {content, tool_calls}}: ${show(line)}`,
  );
  const { content, tool_calls: calls } = expected;
  demand(
    content === null || typeof content === 'string',
    () => `The expected content is neither a string nor null: ${show(line)}`,
  );
  return {
    name: value['name'],
    input: value['input'],
    tools: readTools(value['tools']),
    content,
    toolCalls: calls.map((call: unknown) => readCall(call, line)),
  };
}

function readTools(value: unknown): readonly ToolSchema[] | undefined {
  return Array.isArray(value) ? value.filter(isToolSchema) : undefined;
}

function isToolSchema(value: unknown): value is ToolSchema {
  const tool = isPlainObject(value) && isPlainObject(value['function']) ? value['function'] : value;
  return isPlainObject(tool) && typeof tool['name'] === 'string';
}

function readCall(value: unknown, line: string): ExpectedToolCall {
  demand(
    isPlainObject(value) && typeof value['name'] === 'string',
    () => `An expected call is no {name, arguments}: ${show(line)}`,
  );
  return {
    name: value['name'],
    arguments: value['arguments'],
    argumentsJson: typeof value['arguments_json'] === 'string' ? value['arguments_json'] : undefined,
    id: typeof value['id'] === 'string' ? value['id'] : undefined,
  };
}
