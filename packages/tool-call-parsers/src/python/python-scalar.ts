import { decimalToJson } from './python-number.ts';
import { pythonWordToJson } from './python-words.ts';

/** Turning digits of another base into decimal ones takes more than linear time, so their number is limited. */
const basedInteger = /^([-+]?)(0x[\da-f]{1,999}|0o[0-7]{1,999}|0b[01]{1,999})$/i;

/** A Python name or number as JSON: digits kept where they are decimal, `1_000` and `0x10` turned into those. */
export function pythonScalarToJson(text: string): string | undefined {
  return pythonWordToJson(text) ?? numberToJson(text.replace(/(\w)_(?=\w)/g, '$1'));
}

function numberToJson(text: string): string | undefined {
  const [, sign, digits] = basedInteger.exec(text) ?? [];
  if (digits !== undefined) return decimalToJson(sign + BigInt(digits).toString());
  // In Python no integer has leading zeros, since they once made it octal.
  return /^[-+]?0\d/.test(text) ? undefined : decimalToJson(text);
}
