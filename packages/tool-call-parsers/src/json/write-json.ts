import { maximumJsonDepth } from './json-scanner.ts';

/** A value that JSON cannot hold. */
export class NotJsonError extends Error {}

/** Writes a value as Python's `json.dumps(value, ensure_ascii=False)` does: `", "` and `": "` between the parts. @throws NotJsonError */
export function writeJson(value: unknown, depth = 0): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number' && Number.isFinite(value)) return Object.is(value, -0) ? '-0' : String(value);
  if (typeof value !== 'object') throw new NotJsonError(`${describe(value)} is no JSON value`);
  if (depth >= maximumJsonDepth) throw new NotJsonError(`it nests deeper than ${maximumJsonDepth} levels`);
  if (Array.isArray(value)) return `[${value.map((item: unknown) => writeJson(item, depth + 1)).join(', ')}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}: ${writeJson(member, depth + 1)}`).join(', ')}}`;
}

function describe(value: unknown): string {
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : `a ${typeof value}`;
}
