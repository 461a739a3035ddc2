/** A string, which may end with the text: where its end was looked for in vain, each quote in it would look again. */
const stringToken = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?/;
const stringOrComment = new RegExp(`${stringToken.source}|//[^\\n]*|/\\*[\\s\\S]*?(?:\\*/|$)`, 'g');
const stringOrLastComma = new RegExp(`${stringToken.source}|,(?=\\s*[\\]}])`, 'g');

/** Parses JSON that may hold comments and trailing commas, as `tsconfig.json` does. @throws SyntaxError as `JSON.parse` */
export function parseWithComments(text: string): unknown {
  // Each token is either a string, kept, or a comment or a comma before a closing bracket, blanked out.
  const withoutComments = text.replaceAll(stringOrComment, blankUnlessString);
  return JSON.parse(withoutComments.replaceAll(stringOrLastComma, blankUnlessString));
}

/** Line breaks stay, so that positions in messages do. */
function blankUnlessString(token: string): string {
  return token.startsWith('"') ? token : token.replaceAll(/[^\n]/g, ' ');
}
