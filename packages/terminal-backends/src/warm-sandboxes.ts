import { type Clock, canonicalJson, errorMessage, type Logger, mapConcurrent, settleWithin } from '@talaria/core';
import type { SandboxSpec } from './backend.ts';
import { closePlaced, type PlacedSandbox } from './placed-sandbox.ts';
import { defaultLifetimeMs } from './sandbox-defaults.ts';

/** Sandboxes to hold ready for tasks that will ask for just this. */
export interface WarmRequest {
  /** As the tasks will ask for it. */
  readonly spec: Omit<SandboxSpec, 'taskId'>;
  /** How many to hold ready. */
  readonly count: number;
}

/** What warm sandboxes need. */
export interface WarmParts {
  readonly requests: readonly WarmRequest[];
  /** Opens one if there is a free place now; `null` where there is none. */
  readonly open: (spec: SandboxSpec, signal: AbortSignal) => Promise<PlacedSandbox | null>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Holds sandboxes ready. */
export interface WarmSandboxes extends AsyncDisposable {
  /** Gives one that fits and lives; `null` where none does. Another is opened in its place, in the background. */
  take(spec: SandboxSpec): Promise<PlacedSandbox | null>;
  /** Gives up one that nobody asked for, so that its place is free; says whether there was one. */
  giveUpOne(): Promise<boolean>;
}

interface Shelf {
  readonly key: string;
  readonly request: WarmRequest;
  readonly ready: { readonly warm: PlacedSandbox; readonly openedAtMs: number }[];
  openingCount: number;
}

const maxDisposalMs = 30_000;
const disposalsAtOnce = 16;

/** Starts opening what is asked for. */
export function createWarmSandboxes({ requests, open, clock, logger }: WarmParts): WarmSandboxes {
  const ending = new AbortController();
  const shelves = requests.map((request): Shelf => {
    return { key: keyOf(request.spec), request, ready: [], openingCount: 0 };
  });
  const openings = new Set<Promise<void>>();

  async function discard(warm: PlacedSandbox): Promise<void> {
    await settleWithin(() => closePlaced(warm), maxDisposalMs, logger);
    // Of one that does not end, too: whoever waits for a place must not wait for ever.
    warm.place[Symbol.dispose]();
  }

  async function openOne(shelf: Shelf): Promise<void> {
    try {
      const warm = await open({ taskId: 'warm', ...shelf.request.spec }, ending.signal);
      if (warm === null) return;
      if (ending.signal.aborted) await discard(warm);
      else shelf.ready.push({ warm, openedAtMs: clock.monotonicMs() });
    } catch (error) {
      // Whoever needs one opens it then, and hears why that fails.
      if (!ending.signal.aborted) logger.warn('sandbox.warm-failed', { message: errorMessage(error) });
    } finally {
      shelf.openingCount -= 1;
    }
  }

  function fill(shelf: Shelf): void {
    while (!ending.signal.aborted && shelf.ready.length + shelf.openingCount < shelf.request.count) {
      shelf.openingCount += 1;
      const opening = openOne(shelf);
      openings.add(opening);
      opening.finally(() => openings.delete(opening));
    }
  }

  for (const shelf of shelves) fill(shelf);
  return {
    async take(spec) {
      const shelf = shelves.find(({ key }) => key === keyOf(spec));
      if (shelf === undefined) return null;
      const maxAgeMs = (spec.maxLifetimeMs ?? defaultLifetimeMs) * maxAgeShare;
      try {
        for (let found = shelf.ready.shift(); found !== undefined; found = shelf.ready.shift()) {
          const isFresh = clock.monotonicMs() - found.openedAtMs <= maxAgeMs;
          if (isFresh && (await found.warm.sandbox.ping())) return found.warm;
          await discard(found.warm);
        }
        return null;
      } finally {
        fill(shelf);
      }
    },
    async giveUpOne() {
      const shelf = shelves.find(({ ready }) => ready.length > 0);
      const found = shelf?.ready.shift();
      if (found !== undefined) await discard(found.warm);
      return found !== undefined;
    },
    async [Symbol.asyncDispose]() {
      ending.abort(new Error('The pool of sandboxes is closed'));
      await Promise.allSettled(openings);
      const left = shelves.flatMap((shelf) => shelf.ready.splice(0));
      await mapConcurrent(left, disposalsAtOnce, ({ warm }) => discard(warm));
    },
  };
}

/** Its lifetime has begun when it was opened: whoever takes it shall have most of it. */
const maxAgeShare = 0.25;

function keyOf(spec: Omit<SandboxSpec, 'taskId'>): string {
  const { taskId, ...rest }: Omit<SandboxSpec, 'taskId'> & { readonly taskId?: string } = spec;
  void taskId;
  return canonicalJson(JSON.parse(JSON.stringify(rest)));
}
