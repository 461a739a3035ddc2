/**
 * Whether npm would take a version for a range like `^1.17` or `^0.11`: the first part that is not 0 must stay. `null` where
 * one of them has another form. A version before a release, such as `1.17.0-rc.1`, is in no range.
 */
export function isInCaretRange(version: string, range: string): boolean | null {
  const given = /^(\d+)\.(\d+)\.(\d+)(-)?/.exec(version);
  const asked = /^\^(\d+)(?:\.(\d+))?(?:\.(\d+))?$/.exec(range);
  if (given === null || asked === null) return null;
  if (given[4] !== undefined) return false;
  const have = given.slice(1, 4).map(Number);
  const named = asked.slice(1, 4).filter((part) => part !== undefined);
  const want = named.map(Number);
  const leading = want.findIndex((part) => part !== 0);
  // Of a range of zeros, all that is named must stay.
  const fixedCount = (leading < 0 ? want.length - 1 : leading) + 1;
  if (want.slice(0, fixedCount).some((part, index) => have[index] !== part)) return false;
  for (let index = fixedCount; index < want.length; index += 1) {
    const difference = (have[index] ?? 0) - (want[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}
