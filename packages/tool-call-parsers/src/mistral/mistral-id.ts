const idLength = 9;
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const mistralId: RegExp = /^[A-Za-z0-9]{9}$/;

/** Whether an id has the form that the models' own validator demands. */
export function isMistralId(id: string | undefined): boolean {
  return id !== undefined && mistralId.test(id);
}

/** Nine random letters and digits. */
export function createMistralId(): string {
  let id = '';
  while (id.length < idLength) {
    // Of 256 values, 248 fall on the 62 characters evenly; the others, which would favour some, fall on none.
    for (const byte of globalThis.crypto.getRandomValues(new Uint8Array(idLength))) {
      if (byte < 248 && id.length < idLength) id += letters.charAt(byte % letters.length);
    }
  }
  return id;
}
