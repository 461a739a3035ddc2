/** States of reading a number; those of other tokens lie below {@link afterMinus}. */
export const afterMinus = 10;
/** Behind a leading zero. */
export const afterZero = 11;
/** In the digits before the point. */
export const inInteger = 12;
const afterPoint = 13;
const inFraction = 14;
const afterExponent = 15;
const afterExponentSign = 16;
const inExponent = 17;

/** What would be right next, by state from {@link afterMinus} on, for messages. */
export const numberExpectations: readonly string[] = [
  'a digit after the minus sign',
  'the end of the number after a leading zero',
  'a digit or the end of the number',
  'a digit after the decimal point',
  'a digit or the end of the number',
  'a digit or a sign after the exponent mark',
  'a digit after the exponent sign',
  'a digit or the end of the number',
];

/** The state that a number's first character leads to, or undefined where no number begins with it. */
export function firstNumberState(code: number): number | undefined {
  if (code === 45) return afterMinus;
  if (code === 48) return afterZero;
  return isDigit(code) ? inInteger : undefined;
}

/** The state that the next character leads to, or undefined where it is no part of the number. */
export function nextNumberState(state: number, code: number): number | undefined {
  if (isDigit(code)) {
    if (state === afterMinus) return code === 48 ? afterZero : inInteger;
    if (state === afterPoint || state === inFraction) return inFraction;
    if (state >= afterExponent) return inExponent;
    return state === inInteger ? inInteger : undefined;
  }
  if (code === 46) return state === afterZero || state === inInteger ? afterPoint : undefined;
  if (code === 101 || code === 69) return isNumberEnd(state) && state !== inExponent ? afterExponent : undefined;
  return (code === 43 || code === 45) && state === afterExponent ? afterExponentSign : undefined;
}

/** Whether a number may end in this state. */
export function isNumberEnd(state: number): boolean {
  return state === afterZero || state === inInteger || state === inFraction || state === inExponent;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
