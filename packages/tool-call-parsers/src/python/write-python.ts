/** What Python writes differently: pairs of escapes for one character, the escaped slash, and what is in no string. */
const jsonTokens = /\\u[dD][89abAB]..\\u....|\\.|"|[ \t\r\n]+|[,:]|true|false|null/g;

/** What Python writes for what is in no string. White space is written anew. */
const pythonTokens: Readonly<Record<string, string | undefined>> = {
  ',': ', ',
  ':': ': ',
  true: 'True',
  false: 'False',
  null: 'None',
};

/** JSON text as a Python literal: strings in double quotes, digits kept, `", "` and `": "` between the parts. */
export function writePython(json: string): string {
  let isInString = false;
  return json.replace(jsonTokens, (token) => {
    if (token === '"') isInString = !isInString;
    else if (!isInString) return pythonTokens[token] ?? '';
    // Python has no `\/`, and takes `\u` for half a character where JSON writes one as a pair.
    return /\\(?:\/|u.)/.test(token) ? String(JSON.parse(`"${token}"`)) : token;
  });
}
