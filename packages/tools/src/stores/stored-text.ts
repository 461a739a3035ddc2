/** Text as every store keeps it: what is no Unicode, and NUL, at which databases end a text, as replacement characters. */
export function storedText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}
