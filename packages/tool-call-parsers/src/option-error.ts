import { ParserError, type ParserErrorCode } from './parser-errors.ts';

/** How much of a text that was given by mistake is shown. */
const shownLength = 80;

/** The error for a caller who gave `value` for `option`, which takes nothing but what `allowed` says. */
export function optionError(
  option: string,
  value: unknown,
  allowed: string,
  code: ParserErrorCode = 'parser.option',
): ParserError {
  // Of what is no text, only the type: not everything can be made a text.
  const found = typeof value === 'string' ? JSON.stringify(value.slice(0, shownLength)) : value && typeof value;
  return new ParserError(`${option} must be ${allowed}, not ${found}`, { code, hint: `Give ${allowed}.` });
}
