/** `call_` and 24 random hexadecimal digits. */
export function createCallId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `call_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
