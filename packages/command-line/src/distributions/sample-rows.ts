import { prepareDistribution, seededDraw, type ToolRegistry, type ToolsetDistribution } from '@talaria/tools';
import { exitCodes } from '../exit-code.ts';
import type { Host } from '../host.ts';
import { paintFor } from '../paint.ts';
import { renderTable } from '../render-table.ts';

/** What is sampled. */
export interface SampleRequest {
  readonly distribution: ToolsetDistribution;
  readonly registry: ToolRegistry;
  readonly seed: string;
  readonly rows: number;
  readonly isJson: boolean;
}

/** Most rows that are held before they are written. */
const rowsPerWrite = 1_000;

/**
 * `talaria distributions sample`: the toolsets of the rows `0`, `1`, …, a line each, and how often each was drawn. Sets that
 * cannot be offered here are told first; the same seed gives the same rows.
 */
export async function sampleRows(host: Host, request: SampleRequest): Promise<number> {
  const { distribution, registry, seed, rows, isJson } = request;
  const prepared = prepareDistribution(distribution, registry);
  for (const { toolset, reason } of prepared.removed) host.stderr.write(`${toolset} is left out: ${reason}\n`);
  const counts = new Map(Object.keys(prepared.toolsets).map((toolset) => [toolset, 0]));
  for (let start = 0; start < rows; start += rowsPerWrite) {
    const lines = Array.from({ length: Math.min(rowsPerWrite, rows - start) }, (_, offset) => {
      const key = String(start + offset);
      const toolsets = prepared.sample(seededDraw(seed, key));
      for (const toolset of toolsets) counts.set(toolset, (counts.get(toolset) ?? 0) + 1);
      return isJson ? JSON.stringify({ row: key, toolsets }) : `${key.padEnd(8)}${toolsets.join(' ')}`;
    });
    host.stdout.write(`${lines.join('\n')}\n`);
    // The reader may have gone away.
    if (!(await host.stdout.flush())) return exitCodes.done;
  }
  if (isJson) return exitCodes.done;
  const shares = Object.entries(prepared.toolsets).map(([toolset, percent]) => [
    toolset,
    String(percent),
    ((100 * (counts.get(toolset) ?? 0)) / rows).toFixed(1),
  ]);
  host.stdout.write(`\n${renderTable(['toolset', 'percent', 'drawn'], shares, paintFor(host, host.stdout).faint)}`);
  return exitCodes.done;
}
