import { isJsonObject, parseJson, truncateText } from '@talaria/core';
import type { ParseError } from '@talaria/tool-call-parsers';
import type { ToolError } from './agent-result.ts';
import type { Answer } from './read-answer.ts';
import type { ToolCallResult } from './run-tool-calls.ts';

const maxArgumentsChars = 200;
const maxTextChars = 500;
/** Faults that the model is told of at most: one answer can hold thousands. */
const maxFaults = 5;

/** Describes a call whose outcome is an error. */
export function toolErrorOf(turn: number, { call, outcome }: ToolCallResult): ToolError {
  return {
    turn,
    toolCallId: call.id,
    toolName: call.function.name,
    kind: outcome.errorKind ?? 'internal',
    arguments: truncateText(call.function.arguments, maxArgumentsChars),
    error: truncateText(errorIn(outcome.content), maxTextChars),
    toolResult: truncateText(outcome.content, maxTextChars),
  };
}

/** Describes the pieces of an answer that looked like calls and are none. They have no id and no name. */
export function parseToolErrors(turn: number, answer: Answer): readonly ToolError[] {
  const text = answer.completion.message.content ?? '';
  return answer.parseErrors.map((error) => ({
    turn,
    toolCallId: '',
    toolName: '',
    kind: 'malformed_call',
    arguments: truncateText(text.slice(error.start, error.end), maxArgumentsChars),
    error: truncateText(error.message, maxTextChars),
    toolResult: '',
  }));
}

/** The faults of an answer in one line. */
export function summariseParseErrors(errors: readonly ParseError[]): string {
  return describeFaults(errors).join('; ');
}

/** What the model is told about an answer that held only broken calls. */
export function malformedCallMessage(errors: readonly ParseError[]): string {
  return [
    'Your last answer held a tool call that could not be read, so nothing was run:',
    ...describeFaults(errors).map((fault) => `- ${fault}`),
    'Write the call again in the right form, or answer without one.',
  ].join('\n');
}

function describeFaults(errors: readonly ParseError[]): readonly string[] {
  const faults = errors.slice(0, maxFaults).map((error) => truncateText(error.message, maxTextChars));
  return errors.length > maxFaults ? [...faults, `and ${errors.length - maxFaults} more`] : faults;
}

function errorIn(content: string): string {
  const parsed = parseJson(content);
  if (parsed.ok && isJsonObject(parsed.value) && typeof parsed.value['error'] === 'string') {
    return parsed.value['error'];
  }
  return content;
}
