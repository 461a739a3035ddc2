/**
 * Writes a value as Python's `json.dumps(value, ensure_ascii=False)` does: `", "` and `": "` between the parts.
 * @returns undefined for what JSON cannot hold: `NaN`, infinities, bigints, cycles
 */
export function writeJson(value: unknown): string | undefined {
  try {
    // Written on several lines, then joined: a string holds no raw line feed, so only the layout is changed.
    return JSON.stringify(value, refuseLoss, 1)?.replace(/(,?)\n */g, (_, comma) => comma && ', ');
  } catch {
    // JSON.stringify throws on nothing else than what it cannot write.
    return undefined;
  }
}

/** `JSON.stringify` would write null. */
function refuseLoss(_key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError();
  return value;
}
