import { errorMessage, isJsonObject, isTalariaError, type JsonObject, type JsonValue, StateError } from '@talaria/core';
import { encodeRollout, type Rollout } from '@talaria/trajectories';
import { maxLineBytes } from './file-lines.ts';

/**
 * The line of a rollout, newline included. What could not be read back must not be reported as stored: JSON writes
 * `null` for a number that is not finite.
 *
 * @throws StateError `state.invalid-record`, `state.record-too-large`
 */
export function encodeJournalLine(rollout: Rollout): Buffer {
  const line = Buffer.from(`${encodeChecked(rollout)}\n`);
  if (line.length <= maxLineBytes) return line;
  throw new StateError(`Cannot store ${nameOf(rollout)}: ${line.length} bytes are more than ${maxLineBytes}`, {
    code: 'state.record-too-large',
    hint: 'Limit the size of tool results or the number of turns.',
  });
}

function encodeChecked(rollout: Rollout): string {
  try {
    const record = encodeRollout(rollout);
    const fault = findFault(record);
    if (fault === undefined) return JSON.stringify(record);
    throw invalidRecord(rollout, `\`${fault}\` is no finite number`);
  } catch (error) {
    if (isTalariaError(error)) throw error;
    // A reference to itself, or a value that JSON does not have.
    throw invalidRecord(rollout, errorMessage(error), error);
  }
}

/** The dotted path of a number that cannot be stored. Messages and tools hold text; the rest is quick to look through. */
function findFault({ messages: _messages, tools: _tools, ...record }: JsonObject): string | undefined {
  for (const field of ['rewards', 'metrics']) {
    const fault = pathOf(record[field], (leaf) => !Number.isFinite(leaf));
    if (fault !== undefined) return `${field}.${fault}`;
  }
  return pathOf(record, (leaf) => typeof leaf === 'number' && !Number.isFinite(leaf));
}

/** The path of the first leaf that is wrong. Made for speed: it sees every token and log-probability of a record. */
function pathOf(value: JsonValue | undefined, isWrong: (leaf: JsonValue | undefined) => boolean): string | undefined {
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const path = pathOf(value[index], isWrong);
      if (path !== undefined) return joinPath(String(index), path);
    }
    return undefined;
  }
  if (!isJsonObject(value)) return isWrong(value) ? '' : undefined;
  for (const key in value) {
    const path = pathOf(value[key], isWrong);
    if (path !== undefined) return joinPath(key, path);
  }
  return undefined;
}

function joinPath(key: string, rest: string): string {
  return rest === '' ? key : `${key}.${rest}`;
}

function invalidRecord(rollout: Rollout, reason: string, cause?: unknown): StateError {
  return new StateError(`Cannot store ${nameOf(rollout)}: ${reason}`, {
    code: 'state.invalid-record',
    hint: 'Every number of a rollout must be finite, and every value one that JSON has.',
    cause,
  });
}

function nameOf(rollout: Rollout): string {
  return `rollout ${rollout.rolloutId} of item ${rollout.itemKey}`;
}
