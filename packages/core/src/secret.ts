import { inspect } from 'node:util';

/** A value that must not be seen: text, JSON and inspection show `[redacted:NAME]`. */
export class Secret {
  readonly #value: string;
  /** What the secret is called, usually the variable that it came from. */
  readonly name: string;

  constructor(name: string, value: string) {
    this.name = name;
    this.#value = value;
    Object.defineProperty(this, inspect.custom, { value: () => this.toString() });
  }

  /** The value itself, for the one place that must send it. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return `[redacted:${this.name}]`;
  }

  toJSON(): string {
    return this.toString();
  }
}

/** Shortest secret that {@link redactSecrets} looks for: shorter ones occur in ordinary text. */
const minRedactedLength = 8;

/** Replaces every exact occurrence of a secret (of 8 characters or more) in `text` by `[redacted:NAME]`. */
export function redactSecrets(text: string, secrets: Iterable<Secret>): string {
  let redacted = text;
  for (const secret of secrets) {
    const value = secret.reveal();
    if (value.length >= minRedactedLength) redacted = redacted.replaceAll(value, secret.toString());
  }
  return redacted;
}
