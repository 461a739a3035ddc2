/** What the name of a tool may be where it is written as plain text. */
const callName: RegExp = /^[^ \t\r\n<>{}[\]()"'`,;=]{1,256}$/;

/** Whether the text can be the name of a tool where names are written as plain text. */
export function isCallName(text: string): boolean {
  return callName.test(text);
}
