/** The names that stand for values, in Python's spelling and in JSON's, with what JSON calls them. */
export const pythonWords: ReadonlyMap<string, string> = new Map(
  Object.entries({ True: 'true', False: 'false', None: 'null', true: 'true', false: 'false', null: 'null' }),
);
