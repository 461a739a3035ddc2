import type { JsonObject } from '@talaria/core';
import type { Tool } from '../../tool.ts';
import { shapeSnapshot } from '../snapshot/shape-snapshot.ts';
import { snapshotWindow } from '../snapshot/snapshot-window.ts';
import { type BrowserStepContext, type BrowserToolsSetup, browserTool } from './browser-tool.ts';

interface SnapshotArguments {
  readonly full?: boolean;
  readonly offset?: number;
}

/** The tool `browser_snapshot`: the page as text, with refs to click and type into. */
export function createSnapshotTool(setup: BrowserToolsSetup): Tool {
  return browserTool<SnapshotArguments>(setup, {
    name: 'browser_snapshot',
    description:
      'Show the page as an outline of text. Elements to click or type into are marked [ref=e5]; name them as "@e5" in the other browser tools.',
    parameters: {
      type: 'object',
      properties: {
        full: {
          type: 'boolean',
          default: false,
          description: 'Every element with its ref, plain containers too, instead of what matters',
        },
        offset: {
          type: 'integer',
          minimum: 0,
          default: 0,
          description: 'Continue a long snapshot: the next_offset of the one before',
        },
      },
    },
    async execute({ full: isFull = false, offset = 0 }, step) {
      const shown = await snapshotOf(step, isFull, offset);
      const { text, nextOffset } = snapshotWindow(shown.text, offset, setup.maxSnapshotChars);
      const rest: JsonObject =
        nextOffset === null ? {} : { next_offset: nextOffset, total_chars: shown.text.length, truncated: true };
      return { snapshot: text, element_count: shown.elementCount, ...rest };
    },
  });
}

/** Parts after the first are of the snapshot whose first part was shown, so that nothing is lost between them. */
async function snapshotOf(
  { session, slot, signal }: BrowserStepContext,
  isFull: boolean,
  offset: number,
): Promise<NonNullable<BrowserStepContext['slot']['shownSnapshot']>> {
  const { shownSnapshot } = slot;
  if (offset > 0 && shownSnapshot?.isFull === isFull) return shownSnapshot;
  const taken = { ...shapeSnapshot(await session.snapshot({ signal }), isFull), isFull };
  slot.shownSnapshot = taken;
  return taken;
}
