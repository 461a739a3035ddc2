import type { WrittenCall } from '../stream/call-format.ts';
import type { JsonCallKeys } from './json-call-body.ts';

/** Writes a call as one JSON object under these keys. */
export function writeJsonCall(keys: JsonCallKeys, call: WrittenCall): string {
  return `{"${keys.name}": ${JSON.stringify(call.name)}, "${keys.arguments}": ${call.arguments}}`;
}

/** Writes calls as an array in one line, or with one call per line. */
export function writeJsonArray(calls: readonly string[], isInLines = false): string {
  return isInLines ? `[\n    ${calls.join(',\n    ')}\n]` : `[${calls.join(', ')}]`;
}
