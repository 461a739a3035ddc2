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
