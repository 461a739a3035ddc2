/** Whether a value has all of these methods: what plain JavaScript gives as a parser may be anything. */
export function hasMethods(value: unknown, names: readonly string[]): boolean {
  return names.every((name) => typeof Object(value)[name] === 'function');
}
