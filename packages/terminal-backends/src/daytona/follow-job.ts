import type { Writable } from 'node:stream';
import type { TransportProcess } from '../remote/transport.ts';
import { askForNews, dropJob, type Job } from './job.ts';
import { tryInBackground } from './job-place.ts';
import type { JobNews } from './job-reply.ts';

/** How long requests wait for something to tell, one after the other; the last is for all that follow. */
const waitsMs: readonly number[] = [2_000, 4_000, 8_000];
const longestWaitMs = 15_000;
/** How long a request waits for the outputs of a job that has exited. */
const drainWaitMs = 300;
/** How long output may wait for its reader before it is asked again whether the job has exited. */
const maxHoldMs = 1_000;
/** A supervisor that has not come up by then never will. */
const maxStartingMs = 30_000;
const killedExit = 137;

/** Fetches what a job writes until it has ended, or nobody wants it any more. */
export function followJob(job: Job, first: JobNews, stdin: Writable | null): TransportProcess {
  const follower = new JobFollower(job, stdin);
  void follower.follow(first);
  return {
    stdin,
    stdout: job.output.stream,
    gaps: job.output.gaps,
    stderr: job.errors?.stream ?? null,
    stderrGaps: job.errors?.gaps,
    exited: follower.exited,
    close: () => follower.close(),
  };
}

class JobFollower {
  readonly #job: Job;
  readonly #stdin: Writable | null;
  readonly #exit: PromiseWithResolvers<number | null> = Promise.withResolvers();
  readonly #closing = new AbortController();
  #hasExited = false;
  #isFull = false;

  constructor(job: Job, stdin: Writable | null) {
    this.#job = job;
    this.#stdin = stdin;
  }

  get exited(): Promise<number | null> {
    return this.#exit.promise;
  }

  /** Never rejects: that a sandbox is lost is told by an exit code that nobody knows. */
  async follow(first: JobNews): Promise<void> {
    let exitCode: number | null = null;
    try {
      exitCode = await this.#fetchAll(first);
    } catch {
      // Either nobody listens any more, or what failed has been tried again for long enough.
    } finally {
      this.#exit.resolve(exitCode);
      this.#stdin?.destroy();
      for (const output of this.#outputs) output.end();
    }
  }

  close(): void {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    this.#stdin?.destroy();
    for (const output of this.#outputs) output.stream.destroy();
    const { place, id } = this.#job;
    // One that has exited comes to its end by itself.
    if (this.#hasExited) place.finished.push(id);
    else tryInBackground(place, dropJob(this.#job, 'leave'));
  }

  get #outputs() {
    const { output, errors } = this.#job;
    return errors === null ? [output] : [output, errors];
  }

  async #fetchAll(first: JobNews): Promise<number | null> {
    const { clock } = this.#job.place;
    const startedAtMs = clock.monotonicMs();
    let news = first;
    for (let turn = 0; ; turn += 1) {
      this.#take(news);
      if (news.state === 'ended' && this.#isFetched()) return news.exitCode;
      if (news.state === 'starting' && clock.monotonicMs() - startedAtMs > maxStartingMs) return null;
      await this.#waitForReaders();
      const question = { waitMs: this.#waitMs(turn), hasExited: this.#hasExited };
      const reply = await askForNews(this.#job, question, this.#closing.signal);
      // A program took the folder away; what it was about is over for the host.
      if (reply.kind !== 'news') return killedExit;
      news = reply;
    }
  }

  #isFetched(): boolean {
    return this.#outputs.every((output) => output.isComplete);
  }

  #waitMs(turn: number): number {
    if (this.#hasExited) return this.#isFetched() ? drainWaitMs : 0;
    return waitsMs[turn] ?? longestWaitMs;
  }

  #take({ output, errors, exitCode, isFull }: JobNews): void {
    const { place } = this.#job;
    this.#job.output.take(output);
    this.#job.errors?.take(errors);
    if (isFull && !this.#isFull) {
      this.#isFull = true;
      const hint = 'Remove what is not needed in the sandbox, or give it more memory.';
      place.logger.warn('sandbox.output-lost', { sandboxId: place.sandboxId, hint });
    }
    if (exitCode === null) return;
    this.#hasExited = true;
    this.#stdin?.destroy();
    this.#exit.resolve(exitCode);
  }

  /** A reader that is slow holds its own output up, not the exit code. */
  async #waitForReaders(): Promise<void> {
    const held = this.#outputs.filter((output) => !output.isOpen);
    if (held.length === 0) return;
    const drained = Promise.all(held.map((output) => output.drained()));
    await Promise.race([drained, this.#job.place.clock.sleep(maxHoldMs, { isBackground: true })]);
  }
}
