import { trimWhiteSpace } from '../text/white-space.ts';

/** What a tool may be called where its name is plain text. */
const toolName = /^[^\s<>{}[\]()"'`,;=]{1,256}$/;

/** The name in a text, without white space around it; undefined where that is no name. */
export function readToolName(text: string): string | undefined {
  const name = trimWhiteSpace(text);
  return toolName.test(name) ? name : undefined;
}
