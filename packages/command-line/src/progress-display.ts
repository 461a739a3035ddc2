import { truncateText } from '@talaria/core';
import type { RunProgress } from '@talaria/environments';
import type { Host } from './host.ts';
import { describeProgress, describeRollout } from './progress-line.ts';

/** How a run shows what it does: a line that is drawn over and over, one line per rollout, or not at all. */
export type ProgressStyle = 'live' | 'plain' | 'silent';

/** Shows where a run stands, on standard error. Dispose of it to give the terminal back. */
export interface ProgressDisplay extends Disposable {
  show(progress: RunProgress): void;
  /** Writes a line that stays. */
  tell(line: string): void;
}

/** Least time between two drawings of the live line. */
const redrawMs = 100;

const hideCursor = '\u001B[?25l';
const showCursor = '\u001B[?25h';
const clearLine = '\r\u001B[2K';

/**
 * Opens a display.
 *
 * @param rolloutsPerItem - what the lines of single rollouts are counted against
 */
export function openProgressDisplay(host: Host, style: ProgressStyle, rolloutsPerItem = 1): ProgressDisplay {
  switch (style) {
    case 'live':
      return openLiveDisplay(host);
    case 'plain':
    case 'silent':
      return {
        show({ lastRollout, rolloutsDone, itemsTotal }) {
          if (style !== 'plain' || lastRollout === null) return;
          const count = itemsTotal === null ? `${rolloutsDone}` : `${rolloutsDone}/${itemsTotal * rolloutsPerItem}`;
          host.stderr.write(`${describeRollout(lastRollout)} [${count}]\n`);
        },
        tell: (line) => host.stderr.write(`${line}\n`),
        [Symbol.dispose]: () => undefined,
      };
  }
}

/** The line never wraps, is drawn at most ten times a second, and hides the cursor only while it lives. */
function openLiveDisplay({ stderr, clock }: Host): ProgressDisplay {
  let latest: RunProgress | undefined;
  let start: { readonly atMs: number; readonly itemsDone: number } | undefined;
  let cancelDrawing: (() => void) | undefined;
  let isOpen = true;

  function draw(): void {
    cancelDrawing = undefined;
    if (latest === undefined || start === undefined) return;
    const pace = { elapsedMs: clock.monotonicMs() - start.atMs, itemsDoneBefore: start.itemsDone };
    stderr.write(clearLine + truncateText(describeProgress(latest, pace), Math.max(10, stderr.columns - 2)));
  }

  function drawSoon(): void {
    if (isOpen) cancelDrawing ??= clock.schedule(redrawMs, draw);
  }

  stderr.write(hideCursor);
  return {
    show(progress) {
      latest = progress;
      if (progress.phase === 'running') start ??= { atMs: clock.monotonicMs(), itemsDone: progress.itemsDone };
      drawSoon();
    },
    tell(line) {
      stderr.write(`${isOpen ? clearLine : ''}${line}\n`);
      drawSoon();
    },
    [Symbol.dispose]() {
      if (!isOpen) return;
      isOpen = false;
      cancelDrawing?.();
      stderr.write(clearLine + showCursor);
    },
  };
}
