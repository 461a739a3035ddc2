import type { SandboxListing } from '@talaria/terminal-backends';
import { formatDuration } from '../format-quantity.ts';
import { oneLine } from '../one-line.ts';
import type { Paint } from '../paint.ts';

const header = ['backend', 'id', 'task', 'owner', 'age', 'ends in', 'state'] as const;

/** The table of sandboxes, one line each. Task and state are words of others. */
export function renderSandboxes(
  listings: readonly SandboxListing[],
  { now, paint }: { readonly now: number; readonly paint: Paint },
): string {
  const rows = listings.map((listing) => cellsOf(listing, now));
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const lines = [header, ...rows].map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const [title = '', ...rest] = lines;
  const coloured = rest.map((line, index) => (listings[index]?.ownerState === 'dead' ? paint.bad(line) : line));
  return `${[paint.faint(title), ...coloured].join('\n')}\n`;
}

function cellsOf(listing: SandboxListing, now: number): readonly string[] {
  const { backend, id, taskId, createdAt, expiresAt, state } = listing;
  return [
    backend,
    oneLine(id),
    oneLine(taskId) || '-',
    ownerText(listing),
    createdAt > 0 ? formatDuration(now - createdAt) : '-',
    expiresAt === null ? '-' : expiresAt > now ? formatDuration(expiresAt - now) : 'over',
    oneLine(state),
  ];
}

/** `alive (1234)`, `dead (1234)`, `unknown (1234 of build-7)`. */
function ownerText({ owner, ownerState }: SandboxListing): string {
  if (owner === null) return ownerState;
  const place = ownerState === 'unknown' ? ` of ${oneLine(owner.host)}` : '';
  return `${ownerState} (${owner.pid}${place})`;
}

/** A sandbox as JSON has it. */
export function encodeSandbox(listing: SandboxListing): unknown {
  const { id, backend, taskId, owner, ownerState, createdAt, expiresAt, state } = listing;
  return {
    id,
    backend,
    task: taskId,
    owner: owner === null ? null : { host: owner.host, pid: owner.pid },
    owner_state: ownerState,
    created_at: createdAt > 0 ? new Date(createdAt).toISOString() : null,
    expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    state,
  };
}
