const mistralId: RegExp = /^[A-Za-z0-9]{9}$/;

/** Whether an id has the form that the models' own validator demands. */
export function isMistralId(id: string): boolean {
  return mistralId.test(id);
}

/** Nine random digits and small letters. */
export function createMistralId(): string {
  // 32 random bits per character favour none of the 36 by more than one in a hundred million.
  const numbers = globalThis.crypto.getRandomValues(new Uint32Array(9));
  return Array.from(numbers, (number) => (number % 36).toString(36)).join('');
}
