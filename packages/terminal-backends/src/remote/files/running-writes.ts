const writesAtOnce = 16;

/** Writes that run beside each other, some at once. The first that fails is told of by whatever comes after it. */
export class RunningWrites {
  readonly #running = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | undefined;

  /** Starts a write, once there is room for it. */
  async start(work: () => Promise<void>): Promise<void> {
    while (this.#running.size >= writesAtOnce) await Promise.race(this.#running);
    const running = work()
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** @throws what the first write that failed did */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Waits for all that were started, whether or not they fail. */
  async drain(): Promise<void> {
    await Promise.all(this.#running);
  }
}
