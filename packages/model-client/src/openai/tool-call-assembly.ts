import { isJsonObject, type JsonObject } from '@talaria/core';
import type { ChatStreamEvent } from '../chat-model.ts';
import { argumentsText } from '../normalise-message.ts';
import { textOrNull } from './decode-answer.ts';

/** What a piece of a call adds. */
export type ToolCallDelta = Extract<ChatStreamEvent, { readonly type: 'tool-call-delta' }>;

/** Puts the tool calls of a streamed answer together. */
export interface ToolCallAssembly {
  /** Takes an entry of `delta.tool_calls`. */
  add(delta: JsonObject): ToolCallDelta;
  /** The calls so far, as a whole answer would have them; ids that never came are absent. */
  finish(): JsonObject[];
}

interface CallInProgress {
  id: string | undefined;
  name: string;
  readonly argumentParts: string[];
}

/**
 * Starts with no call. A piece belongs to the call with its index; without an index, to the last call. One that brings
 * another id and a name starts a call of its own even then: some servers number all parallel calls 0, or none.
 */
export function createToolCallAssembly(): ToolCallAssembly {
  const calls: CallInProgress[] = [];
  const usedIds = new Set<string>();
  // Position of the last call with each index of the endpoint's.
  const positions = new Map<number, number>();

  function findOrStart(wireIndex: number | undefined, id: string | undefined, name: string): [CallInProgress, number] {
    const found = wireIndex === undefined ? calls.length - 1 : (positions.get(wireIndex) ?? -1);
    const call = calls[found];
    const isAnother = id !== undefined && name !== '' && call?.id !== undefined && call.id !== id;
    if (call !== undefined && !isAnother) return [call, found];
    const started: CallInProgress = { id: undefined, name: '', argumentParts: [] };
    const position = calls.push(started) - 1;
    if (wireIndex !== undefined) positions.set(wireIndex, position);
    return [started, position];
  }

  return {
    add(delta) {
      const inner = isJsonObject(delta['function']) ? delta['function'] : delta;
      const wireIndex = typeof delta['index'] === 'number' ? delta['index'] : undefined;
      const id = textOrNull(delta['id']) ?? undefined;
      const name = textOrNull(inner['name']) ?? '';
      const text = argumentsText(inner['arguments']);
      const [call, index] = findOrStart(wireIndex, id, name);
      const isNewId = id !== undefined && call.id === undefined && !usedIds.has(id);
      // A server that repeats the name in every piece does not mean it twice.
      const isNewName = name !== '' && name !== call.name;
      if (isNewId) {
        call.id = id;
        usedIds.add(id);
      }
      if (isNewName) call.name += name;
      if (text !== '') call.argumentParts.push(text);
      return {
        type: 'tool-call-delta',
        index,
        ...(isNewId ? { id } : {}),
        ...(isNewName ? { name } : {}),
        ...(text === '' ? {} : { arguments: text }),
      };
    },
    finish() {
      return calls.map((call) => ({
        ...(call.id === undefined ? {} : { id: call.id }),
        function: { name: call.name, arguments: call.argumentParts.join('') },
      }));
    },
  };
}
