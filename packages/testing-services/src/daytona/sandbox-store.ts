import { setImmediate } from 'node:timers/promises';
import { type Clock, errorMessage, type JsonObject } from '@talaria/core';
import { openSandboxRoot } from '../sandbox-root/open-sandbox-root.ts';
import type { RootIsolation } from '../sandbox-root/sandbox-root.ts';
import { AnswerError } from './answer.ts';
import type { DaytonaFault } from './daytona-fault.ts';
import { newSandbox } from './new-sandbox.ts';
import { nextEvent } from './next-event.ts';
import { type DaytonaSandboxState, homeOf, type SandboxRecord } from './sandbox-record.ts';

/** Options of {@link SandboxStore}. */
export interface SandboxStoreOptions {
  readonly clock: Clock;
  readonly isolation: RootIsolation;
}

/** All sandboxes of a double and what happens to them by itself. Disposing ends them all. */
export class SandboxStore implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #isolation: RootIsolation;
  readonly #records = new Map<string, SandboxRecord>();
  /** Cancels what would happen next to a sandbox. */
  readonly #timers = new Map<string, () => void>();
  /** What goes on by itself, which disposal waits for. */
  readonly #working = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  constructor({ clock, isolation }: SandboxStoreOptions) {
    this.#clock = clock;
    this.#isolation = isolation;
  }

  get records(): readonly SandboxRecord[] {
    return [...this.#records.values()];
  }

  /** By id or name. */
  find(idOrName: string): SandboxRecord | undefined {
    return this.#records.get(idOrName) ?? this.records.find((record) => record.name === idOrName);
  }

  /** By id or name. @throws AnswerError 404 */
  get(idOrName: string): SandboxRecord {
    const record = this.find(idOrName);
    if (record !== undefined) return record;
    throw new AnswerError(404, `Sandbox with ID or name ${idOrName} not found`, { error: 'Not Found' });
  }

  /** Makes a sandbox. Resolves when it is started, or at once where a fault has a say. @throws AnswerError 409 */
  async create(asked: JsonObject, fault: DaytonaFault | null): Promise<SandboxRecord> {
    const record = newSandbox(asked, this.#clock.now());
    if (this.find(record.name) !== undefined) {
      throw new AnswerError(409, `Sandbox with name ${record.name} already exists`, { error: 'Conflict' });
    }
    this.#records.set(record.id, record);
    if (fault === null) await this.#boot(record);
    else this.#goOn(record, this.#createWith(record, fault));
    return record;
  }

  /** Does nothing to one that is started. @throws AnswerError 400 */
  async start(record: SandboxRecord): Promise<void> {
    if (record.state === 'started') return;
    if (record.state !== 'stopped' && record.state !== 'archived') {
      throw new AnswerError(400, `Sandbox is not in a state to be started: ${record.state}`);
    }
    this.#setState(record, 'starting');
    await this.#boot(record);
  }

  /** @throws AnswerError 400 where it is not started */
  async stop(record: SandboxRecord): Promise<void> {
    if (record.state !== 'started') throw new AnswerError(400, 'Sandbox is not started');
    this.#setState(record, 'stopping');
    await halt(record);
    record.stoppedAtMs = this.#clock.now();
    this.#setState(record, 'stopped');
    if (record.autoDeleteMinutes === 0) await this.destroy(record);
    else this.reschedule(record);
  }

  /** @throws AnswerError 400 where it is not stopped */
  async archive(record: SandboxRecord): Promise<void> {
    if (record.state !== 'stopped') throw new AnswerError(400, 'Sandbox is not stopped');
    this.#setState(record, 'archived');
    this.reschedule(record);
  }

  /** Ends its processes, removes its files, forgets it. */
  async destroy(record: SandboxRecord): Promise<void> {
    this.#records.delete(record.id);
    this.reschedule(record);
    this.#setState(record, 'destroying');
    await halt(record);
    await record.root?.[Symbol.asyncDispose]();
    this.#setState(record, 'destroyed');
  }

  /** Notes that somebody used it, which puts off the automatic stop. */
  touch(record: SandboxRecord): void {
    record.lastActivityMs = this.#clock.now();
    this.reschedule(record);
  }

  /** Takes new intervals and states into account. */
  reschedule(record: SandboxRecord): void {
    this.#timers.get(record.id)?.();
    this.#timers.delete(record.id);
    const event = this.#records.has(record.id) ? nextEvent(record) : null;
    if (event === null) return;
    const delayMs = Math.max(0, event.atMs - this.#clock.now());
    const cancel = this.#clock.schedule(delayMs, () => this.#goOn(record, this[event.action](record)));
    this.#timers.set(record.id, cancel);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.records.map((record) => this.destroy(record)));
    await Promise.all(this.#working);
  }

  async #createWith(record: SandboxRecord, fault: DaytonaFault): Promise<void> {
    if (fault.fault === 'slow') {
      this.#setState(record, 'pending_build');
      await this.#clock.sleep(fault.durationMs, { signal: this.#closing.signal });
      if (!this.#records.has(record.id)) return;
      this.#setState(record, 'starting');
      await this.#boot(record);
    } else if (fault.fault === 'build-failed') {
      this.#setState(record, 'pending_build');
      record.buildLog.push(...fault.logs);
      // The create call is answered first.
      await setImmediate();
      this.#fail(record, 'build_failed', fault.reason ?? fault.logs.at(-1));
    } else if (fault.fault === 'create-failed') {
      this.#fail(record, 'error', fault.reason);
    }
  }

  async #boot(record: SandboxRecord): Promise<void> {
    if (record.root === null) {
      record.root = await openSandboxRoot({
        folders: [homeOf(record)],
        allowNetwork: record.asked['networkBlockAll'] !== true,
        isolation: this.#isolation,
      });
    } else {
      await record.root.start();
    }
    if (!this.#records.has(record.id)) {
      // Deleted while it was started.
      await record.root[Symbol.asyncDispose]();
      return;
    }
    record.stoppedAtMs = null;
    this.#setState(record, 'started');
    this.touch(record);
  }

  #goOn(record: SandboxRecord, work: Promise<void>): void {
    const settled = work
      .catch((error: unknown) => {
        // Somebody else was faster, or the double is closed.
        if (error instanceof AnswerError || this.#closing.signal.aborted) return;
        this.#fail(record, 'error', errorMessage(error));
      })
      .finally(() => this.#working.delete(settled));
    this.#working.add(settled);
  }

  #fail(record: SandboxRecord, state: 'error' | 'build_failed', reason: string | undefined): void {
    record.errorReason = reason;
    this.#setState(record, state);
  }

  #setState(record: SandboxRecord, state: DaytonaSandboxState): void {
    record.state = state;
    record.updatedAtMs = this.#clock.now();
  }
}

async function halt(record: SandboxRecord): Promise<void> {
  // What serves requests inside of a real one ends with it.
  for (const breakConnection of record.connections) breakConnection();
  await record.root?.stop();
  record.sessions.clear();
  record.ptys.clear();
}
