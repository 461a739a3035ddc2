/** A step that did not succeed. The message says what and where, the hint what to do. */
export class StepError extends Error {
  readonly hint: string;

  constructor(message: string, hint: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StepError';
    this.hint = hint;
  }
}
