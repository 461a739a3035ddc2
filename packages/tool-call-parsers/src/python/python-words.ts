const words = ['true', 'false', 'null', 'True', 'False', 'None'];

/** What JSON calls a name that stands for a value, in Python's spelling or in JSON's; undefined for all others. */
export function pythonWordToJson(word: string): string | undefined {
  return words[words.indexOf(word) % 3];
}
