/** No two of its repetitions can match the same character. */
const decimal = /^([-+]?)(\d*)(?:(\.)(\d*))?(e[-+]?\d+)?$/i;
const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const basedInteger = /^([-+]?)(0[xob](?:_?[\da-f])+)$/i;
/** Turning digits of another base into decimal ones takes more than linear time, so their number is limited. */
const maximumBasedLength = 1024;

/** A decimal literal as a JSON number, digits kept: no plus, no leading zeros, digits on both sides of the point. */
export function decimalToJson(text: string): string | undefined {
  const [, sign, whole = '', point, fraction = '', exponent = ''] = decimal.exec(text) ?? [];
  if (whole + fraction === '') return undefined;
  const digits = whole.replace(/^0+(?=\d)/, '') || '0';
  return (sign === '-' ? '-' : '') + digits + (point ? `.${fraction || '0'}` : '') + exponent;
}

/**
 * A Python number as a JSON number of exactly the same value: digits kept where they are decimal, `1_000` and `0x10`
 * turned into those. Like Python, it refuses integers with leading zeros, which once were octal.
 */
export function pythonNumberToJson(text: string): string | undefined {
  if (jsonNumber.test(text)) return text;
  const [, sign, integer] = basedInteger.exec(text.slice(0, maximumBasedLength + 1)) ?? [];
  if (integer === undefined) {
    const plain = text.replace(/(\d)_(?=\d)/g, '$1');
    return /^[-+]?0+[1-9]\d*$/.test(plain) ? undefined : decimalToJson(plain);
  }
  if (text.length > maximumBasedLength) return undefined;
  try {
    return decimalToJson(sign + BigInt(integer.replaceAll('_', '')).toString());
  } catch {
    // BigInt throws on nothing else than a digit that its base does not have.
    return undefined;
  }
}
