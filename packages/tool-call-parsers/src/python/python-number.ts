/** No two of its repetitions can match the same character, but for zeros, whose number is settled at once. */
const decimal = /^(?:(-)|\+)?(?=\.?\d)0*(?!0)(\d*)(?:(\.)(\d*))?(e[-+]?\d+)?$/i;

/** A decimal literal as a JSON number, digits kept: no plus, no leading zeros, digits on both sides of the point. */
export function decimalToJson(text: string): string | undefined {
  const [isDecimal, minus = '', whole, point, fraction, exponent = ''] = decimal.exec(text) ?? [];
  return isDecimal && minus + (whole || '0') + (point ? `.${fraction || '0'}` : '') + exponent;
}
