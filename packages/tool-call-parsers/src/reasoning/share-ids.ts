/**
 * Two sources of ids that one factory feeds: what was given to a call of the first, of which nothing came, goes to a
 * call of the second. So the ids of an answer do not depend on what a stream tried before.
 */
export function shareIds(
  create: (() => string) | undefined,
): readonly [(() => string) | undefined, (() => string) | undefined] {
  // Without a factory each format makes ids of its own kind.
  if (create === undefined) return [undefined, undefined];
  const given: string[] = [];
  const first = (): string => {
    const id = create();
    given.push(id);
    return id;
  };
  return [first, () => given.shift() ?? create()];
}
