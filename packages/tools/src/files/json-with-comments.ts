/** Parses JSON that may hold comments and trailing commas, as `tsconfig.json` does. @throws SyntaxError as `JSON.parse` */
export function parseWithComments(text: string): unknown {
  // Each token is either a string, kept, or a comment or a comma before a closing bracket, blanked out.
  const withoutComments = text.replaceAll(/"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g, blankUnlessString);
  const plain = withoutComments.replaceAll(/"(?:[^"\\]|\\.)*"|,(?=\s*[\]}])/g, blankUnlessString);
  return JSON.parse(plain);
}

/** Line breaks stay, so that positions in messages do. */
function blankUnlessString(token: string): string {
  return token.startsWith('"') ? token : token.replaceAll(/[^\n]/g, ' ');
}
