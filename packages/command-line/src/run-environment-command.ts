import { readFlag } from '@talaria/config';
import type { JsonObject } from '@talaria/core';
import { type CommandFlags, readCommandFlags } from './command-flags.ts';
import { createConsoleLogger } from './console-logger.ts';
import { driveEnvironment } from './drive-environment.ts';
import { loadEnvFile } from './env-file.ts';
import type { EnvironmentCommand } from './environment-command.ts';
import { renderEnvironmentHelp } from './environment-help.ts';
import { exitCodes } from './exit-code.ts';
import type { Host } from './host.ts';
import { checkLocalSafety } from './local-safety.ts';
import { openProgressDisplay, type ProgressStyle } from './progress-display.ts';
import { writeReport } from './report-run.ts';
import { resolveCommand } from './resolve-command.ts';
import { chooseRunFolder, noticeOfResume, type RunFolderRequest } from './run-folder.ts';

/** Runs or evaluates an environment as its configuration says, shows what happens, and reports; gives the exit code. */
export async function runEnvironmentCommand<Item extends JsonObject, Config>(
  processHost: Host,
  command: EnvironmentCommand<Item, Config>,
): Promise<number> {
  const host = await loadEnvFile(processHost);
  const { environment, driver } = command;
  if (asksForHelp(command.args)) {
    host.stdout.write(renderEnvironmentHelp(command, host.stdout.columns));
    return exitCodes.done;
  }
  const place = readPlace(command.args);
  const runFolder = chooseRunFolder(host, { driver, environmentName: environment.name, ...place });
  const resolved = await resolveCommand(host, {
    ...command,
    runFolder,
    isFolderChosen: place.output !== null || place.resume !== null,
    isResumed: place.resume !== null,
  });
  const flags = readCommandFlags(resolved.own);
  const localWarning = checkLocalSafety({
    environmentName: environment.name,
    isLocalSafe: environment.isLocalSafe ?? false,
    backend: resolved.config.terminal.backend,
    allowLocal: resolved.config.terminal.allow_local,
  });
  using display = openProgressDisplay(host, progressStyle(host, flags));
  const logger = createConsoleLogger({
    level: flags.isVerbose ? 'verbose' : 'quiet',
    tell: display.tell,
    secrets: resolved.secrets,
  });
  for (const warning of resolved.warnings) display.tell(`warning: ${warning}`);
  if (localWarning !== null) display.tell(`warning: ${localWarning}`);
  const resumeNotice = place.resume === null ? null : await noticeOfResume(runFolder);
  if (resumeNotice !== null) display.tell(resumeNotice);
  const summary = await driveEnvironment({ host, environment, driver, resolved, flags, runFolder, display, logger });
  display[Symbol.dispose]();
  return writeReport(host, summary, flags);
}

/** The folder that the user names; needed before the other flags can be read, since defaults depend on it. */
function readPlace(args: readonly string[]): Pick<RunFolderRequest, 'output' | 'resume'> {
  return { output: readFlag(args, 'output') ?? null, resume: readFlag(args, 'resume') ?? null };
}

function asksForHelp(args: readonly string[]): boolean {
  return args.includes('--help') || args.includes('-h');
}

function progressStyle(host: Host, { isQuiet, isPlain }: CommandFlags): ProgressStyle {
  if (isQuiet) return 'silent';
  return host.stderr.isTerminal && !isPlain && host.variables['TERM'] !== 'dumb' ? 'live' : 'plain';
}
