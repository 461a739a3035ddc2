import type { Readable } from 'node:stream';
import type { Clock } from '@talaria/core';

/** Lets a source flow, or holds it back. */
export interface FlowGate {
  /** Lets it flow. */
  open(): void;
  /** Holds it back. After a while some spare bytes come through, once. */
  close(): void;
  /** Counts what came through. */
  count(bytes: number): void;
  /** Does nothing more. */
  leave(): void;
}

const spareBytes = 262_144;
const spareDelayMs = 200;

/**
 * Creates a gate, open. The spare bytes matter: an engine notes the end of no process of a container while it holds the
 * last output of one that has ended (observed with Docker 20.10), so a slow reader of one would hold up all others.
 */
export function createFlowGate(source: Readable, clock: Clock): FlowGate {
  let spare = 0;
  let cancel: (() => void) | undefined;

  function leave(): void {
    cancel?.();
    cancel = undefined;
  }
  return {
    open() {
      leave();
      spare = 0;
      source.resume();
    },
    close() {
      if (spare > 0) return;
      source.pause();
      cancel ??= clock.schedule(spareDelayMs, () => {
        spare = spareBytes;
        source.resume();
      });
    },
    count(bytes) {
      spare -= bytes;
    },
    leave,
  };
}
