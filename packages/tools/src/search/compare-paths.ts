/** Order of code units, as `rg --sort path` has it for plain names. */
export function comparePaths(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
