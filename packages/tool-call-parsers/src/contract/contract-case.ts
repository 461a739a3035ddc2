/** One promise of an interface, checked without a test runner. */
export interface ContractCase<Subject> {
  /** The promise, behind its number: I… on results, S… on streams. */
  readonly name: string;
  /** Rejects with a {@link ContractFailure} where the subject breaks the promise. */
  readonly run: (open: () => Subject | Promise<Subject>) => Promise<void>;
}

/** A promise was broken. The message says which, on which text, what was wanted and what came. */
export class ContractFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}

/** Breaks off unless the claim holds. @throws ContractFailure */
export function demand(claim: boolean, message: () => string): asserts claim {
  if (!claim) throw new ContractFailure(message());
}

/** A value as it is shown in messages, at most about 600 characters of it. */
export function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= 600 ? text : `${text.slice(0, 400)} … ${text.slice(-150)}`;
}
