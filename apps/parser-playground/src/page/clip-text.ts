/** The beginning of a text that may be too long to be laid out, and how much is missing. */
export function clipText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return `${text.slice(0, maxChars)}… (${(text.length - maxChars).toLocaleString('en')} more characters)`;
}
