import { silentLogger } from '@talaria/core';
import { builtinDistributions } from '@talaria/tools';
import { loadEnvFile } from '../env-file.ts';
import { exitCodes } from '../exit-code.ts';
import { distributionsHelp } from '../help-text.ts';
import type { Host } from '../host.ts';
import { paintFor } from '../paint.ts';
import { renderTable } from '../render-table.ts';
import { openTools } from '../tools/open-tools.ts';
import { readDistribution } from './read-distribution.ts';
import { readDistributionsArguments } from './read-distributions-arguments.ts';
import { sampleRows } from './sample-rows.ts';

/** `talaria distributions`: shows the distributions of toolsets, and what they come to on this machine. */
export async function runDistributions(processHost: Host, args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    processHost.stdout.write(distributionsHelp);
    return exitCodes.done;
  }
  if (args.length === 0) {
    processHost.stderr.write(distributionsHelp);
    return exitCodes.usage;
  }
  const host = await loadEnvFile(processHost);
  const request = await readDistributionsArguments(host, args);
  if (request.action === 'list') return listDistributions(host, request.isJson);
  const distribution = await readDistribution(host, request.target);
  await using opened = await openTools(host, request.resolved.config, {
    logger: silentLogger,
    secrets: request.resolved.secrets,
  });
  return await sampleRows(host, { distribution, registry: opened.registry, ...request });
}

function listDistributions(host: Host, isJson: boolean): number {
  if (isJson) {
    const listed = { reason: 'done', exit_code: exitCodes.done, distributions: builtinDistributions };
    host.stdout.write(`${JSON.stringify(listed)}\n`);
    return exitCodes.done;
  }
  const rows = builtinDistributions.map(({ name, description, toolsets }) => [
    name,
    Object.entries(toolsets)
      .map(([toolset, percent]) => `${toolset} ${percent}`)
      .join(', '),
    description,
  ]);
  host.stdout.write(
    renderTable(['distribution', 'toolsets, in percent', 'for'], rows, paintFor(host, host.stdout).faint),
  );
  return exitCodes.done;
}
