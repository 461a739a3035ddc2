import { writePython } from '../python/write-python.ts';
import type { WrittenCall } from '../stream/call-format.ts';
import { jsonMembers } from '../text-call/json-members.ts';

/** A call as Python writes it: `name(key=literal, …)`. */
export function writePythonCall({ name, arguments: json }: WrittenCall): string {
  return `${name}(${jsonMembers(json)
    .map(([key, value]) => `${key}=${writePython(value)}`)
    .join(', ')})`;
}
