/** Hands out the ids of one stream's calls: never empty, never twice. */
export class CallIds {
  readonly #create: () => string;
  readonly #used: Set<string> = new Set();
  #reserved: string | undefined;

  constructor(create: () => string = createCallId) {
    this.#create = create;
  }

  /** The id of the next call. The same until {@link use} is called, so that a withdrawn call costs no id. */
  reserve(): string {
    this.#reserved ??= this.#createUnused();
    return this.#reserved;
  }

  /** The reserved id is taken. */
  use(): void {
    if (this.#reserved !== undefined) this.#used.add(this.#reserved);
    this.#reserved = undefined;
  }

  #createUnused(): string {
    const created = this.#create();
    let id = created;
    // A factory may repeat itself; the place of the call tells its ids apart.
    for (let suffix = this.#used.size; id === '' || this.#used.has(id); suffix += 1)
      id = `${created || 'call'}_${suffix}`;
    return id;
  }
}

/** `call_` and 24 random hexadecimal digits. */
export function createCallId(): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(12));
  return `call_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
