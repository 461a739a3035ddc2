const brand: unique symbol = Symbol.for('@talaria/error');

/**
 * `parser.unknown` and `parser.duplicate` concern names in a registry, `parser.finished` a stream that is over,
 * `parser.text` and `parser.option` what was given in place of text, or of what an argument or option takes.
 */
export type ParserErrorCode =
  | 'parser.unknown'
  | 'parser.duplicate'
  | 'parser.finished'
  | 'parser.text'
  | 'parser.option'
  | 'parser.unrenderable';

/** The caller must act: a parser was used wrongly. No model text leads to one. */
export class ParserError extends Error {
  readonly code: ParserErrorCode;
  /** One sentence: what the reader can do now. */
  readonly hint: string;
  /** Always false: the same call fails again. */
  readonly retryable = false as const;

  constructor(message: string, options: { readonly code: ParserErrorCode; readonly hint: string }) {
    super(message);
    this.name = new.target.name;
    this.code = options.code;
    this.hint = options.hint;
    // What `isTalariaError` of the core looks for.
    Reflect.set(this, brand, true);
  }
}

/** These calls cannot be written in this format so that they would be read back the same; code `parser.unrenderable`. */
export class UnrenderableError extends ParserError {}
