const mistralId: RegExp = /^[A-Za-z0-9]{9}$/;
const digits = 36;
const length = 9;

/** Whether an id has the form that the models' own validator demands. */
export function isMistralId(id: string): boolean {
  return mistralId.test(id);
}

/**
 * The id itself where it has that form, else nine digits and small letters made from it, always the same for the same id:
 * so a history that another provider's ids are in can be given to these models.
 */
export function toMistralId(id: string): string {
  if (isMistralId(id)) return id;
  // Two products of the characters (FNV-1a with different beginnings), since one has too few bits for nine digits.
  let high = 0x811c9dc5;
  let low = 0x01000193;
  for (let index = 0; index < id.length; index += 1) {
    high = Math.imul(high ^ id.charCodeAt(index), 0x01000193);
    low = Math.imul(low ^ id.charCodeAt(index), 0x85ebca6b);
  }
  const number = ((BigInt(high >>> 0) << 32n) | BigInt(low >>> 0)) % BigInt(digits) ** BigInt(length);
  return number.toString(digits).padStart(length, '0');
}
