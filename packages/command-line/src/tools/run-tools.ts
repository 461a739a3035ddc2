import { createConsoleLogger } from '../console-logger.ts';
import { loadEnvFile } from '../env-file.ts';
import { exitCodes } from '../exit-code.ts';
import { toolsHelp } from '../help-text.ts';
import type { Host } from '../host.ts';
import { openTools } from './open-tools.ts';
import { readToolsArguments } from './read-tools-arguments.ts';
import { reportTools } from './report-tools.ts';
import { showTools } from './show-tools.ts';

/** `talaria tools`: says which tools there are, what they tell the model, and why some cannot be offered here. */
export async function runTools(processHost: Host, args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    processHost.stdout.write(toolsHelp);
    return exitCodes.done;
  }
  if (args.length === 0) {
    processHost.stderr.write(toolsHelp);
    return exitCodes.usage;
  }
  const host = await loadEnvFile(processHost);
  const request = await readToolsArguments(host, args);
  const logger = createConsoleLogger({
    level: request.isVerbose ? 'verbose' : 'silent',
    tell: (line) => host.stderr.write(`${line}\n`),
    secrets: request.resolved.secrets,
  });
  await using opened = await openTools(host, request.resolved.config, {
    logger,
    secrets: request.resolved.secrets,
    // What is broken is what a doctor is asked about.
    acceptFault: () => request.action === 'doctor',
  });
  return request.action === 'show' ? showTools(host, opened, request) : reportTools(host, opened, request);
}
