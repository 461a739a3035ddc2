/** Hands out the ids of one stream's calls: never empty, never twice. */
export class CallIds {
  readonly #create: () => string;
  readonly #used: Set<string> = new Set();
  #reserved = '';

  constructor(create: () => string = createCallId) {
    this.#create = create;
  }

  /** The id of the next call. The same until {@link use} is called, so that a withdrawn call costs no id. */
  reserve(): string {
    this.#reserved ||= this.#create() || 'call';
    // A factory may repeat itself; the number of the call tells its ids apart.
    while (this.#used.has(this.#reserved)) this.#reserved += `_${this.#used.size}`;
    return this.#reserved;
  }

  /** The reserved id is taken. */
  use(): void {
    this.#used.add(this.#reserved);
    this.#reserved = '';
  }
}

/** `call_` and 24 random hexadecimal digits. */
function createCallId(): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(12));
  return `call_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
