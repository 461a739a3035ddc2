import { existsSync } from 'node:fs';
import { readFlag } from '@talaria/config';
import { ConfigError, type JsonObject, quoteShell } from '@talaria/core';
import type { ResolvedRunConfig } from '@talaria/environments';
import { type RunManifest, readRunManifest } from '@talaria/run-store';
import { type CommandFlags, readCommandFlags } from './command-flags.ts';
import { createConsoleLogger } from './console-logger.ts';
import { driveEnvironment, type PreparedRun } from './drive-environment.ts';
import { endWithError } from './end-with-error.ts';
import { loadEnvFile } from './env-file.ts';
import type { EnvironmentCommand } from './environment-command.ts';
import { renderEnvironmentHelp } from './environment-help.ts';
import { exitCodes } from './exit-code.ts';
import { findOnlyModel } from './find-only-model.ts';
import type { Host } from './host.ts';
import { checkLocalSafety } from './local-safety.ts';
import { openProgressDisplay, type ProgressStyle } from './progress-display.ts';
import { type AnySummary, shortenPath, writeReport } from './report-run.ts';
import { type CommandSources, resolveCommand } from './resolve-command.ts';
import { chooseRunFolder, type RunFolderRequest } from './run-folder.ts';

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
  const earlier = place.resume === null ? null : await readEarlierRun(runFolder);
  const { resolved, onlyModel } = await resolveWithModel(host, {
    ...command,
    runFolder,
    isFolderChosen: place.output !== null || place.resume !== null,
    isResumed: place.resume !== null,
    earlier,
  });
  const flags = readCommandFlags(resolved.own);
  const localWarning = checkLocalSafety({
    environmentName: environment.name,
    isLocalSafe: environment.isLocalSafe ?? false,
    backend: resolved.config.terminal.backend,
    allowLocal: resolved.config.terminal.allow_local,
  });
  const prepared: ResolvedCommand<Item, Config> = { ...command, host, resolved, flags, runFolder };
  try {
    const notices = [
      ...resolved.warnings.map(asWarning),
      ...(localWarning === null ? [] : [asWarning(localWarning)]),
      ...(onlyModel === null ? [] : [`No model is named: ${onlyModel} is the only one that the server offers.`]),
      // A run that was killed in its first moments has left nothing, so this is no error.
      ...(earlier !== null && readFlag(command.args, 'config') !== undefined
        ? ['The run goes on with the settings that it was begun with: the file of --config is not read for them.']
        : []),
      ...(place.resume === null || earlier !== null ? [] : [`No run to resume in ${runFolder}: it begins there now.`]),
    ];
    const result = await runResolved(prepared, notices);
    return writeReport(host, result, { flags, resumeCommand: resumeCommand(host, prepared) });
  } catch (error) {
    return endWithError(host, error, resolved.secrets);
  }
}

/** Resolves the configuration; with the model that its server offers, where it names none. */
async function resolveWithModel<Item extends JsonObject, Config>(
  host: Host,
  sources: CommandSources<Item, Config>,
): Promise<{ readonly resolved: ResolvedRunConfig<Config>; readonly onlyModel: string | null }> {
  const resolved = await resolveCommand(host, sources);
  const onlyModel = await findOnlyModel(host, resolved.config.openai);
  if (onlyModel === null) return { resolved, onlyModel };
  // As a flag, so that the manifest and every output name it.
  const args = [`--openai.model_name=${onlyModel}`, ...sources.args];
  return { resolved: await resolveCommand(host, { ...sources, args }), onlyModel };
}

/** @throws ConfigError `config.missing-folder` where there is none to go on in */
async function readEarlierRun(runFolder: string): Promise<RunManifest | null> {
  const manifest = await readRunManifest(runFolder);
  if (manifest !== null || existsSync(runFolder)) return manifest;
  throw new ConfigError(`There is no run to resume: ${runFolder} does not exist`, {
    code: 'config.missing-folder',
    hint: `Check the path after --resume. To begin a run there: --output ${quoteShell([runFolder])}`,
  });
}

/** What to type to go on with a run. All settings are in its manifest; flags of the command itself are not. */
function resumeCommand<Item extends JsonObject, Config>(host: Host, command: ResolvedCommand<Item, Config>): string {
  const { usage, flags, runFolder } = command;
  const words = [
    '--resume',
    shortenPath(host, runFolder),
    ...(flags.rows === 'group' ? [] : ['--rows', flags.rows]),
    ...(flags.maxItems === null ? [] : ['--max-items', String(flags.maxItems)]),
  ];
  return `${usage} ${quoteShell(words)}`;
}

type ResolvedCommand<Item extends JsonObject, Config> = EnvironmentCommand<Item, Config> &
  Omit<PreparedRun<Item, Config>, 'display' | 'logger'>;

/** Runs with a display that is closed again before anything is reported. */
async function runResolved<Item extends JsonObject, Config>(
  command: ResolvedCommand<Item, Config>,
  notices: readonly string[],
): Promise<AnySummary> {
  const { host, resolved, flags } = command;
  using display = openProgressDisplay(host, progressStyle(host, flags), rolloutsPerItem(command));
  const logger = createConsoleLogger({
    level: flags.isVerbose ? 'verbose' : flags.isQuiet ? 'silent' : 'quiet',
    tell: display.tell,
    secrets: resolved.secrets,
  });
  for (const notice of notices) display.tell(notice);
  try {
    return await driveEnvironment({ ...command, display, logger });
  } finally {
    logger.tellCounts();
  }
}

/** Rollouts that an item gets, where none fails. */
function rolloutsPerItem<Item extends JsonObject, Config>({ driver, resolved }: ResolvedCommand<Item, Config>): number {
  const { group_size: groupSize, eval_samples: evalSamples } = resolved.config.env;
  return driver === 'process' ? groupSize : evalSamples;
}

function asWarning(text: string): string {
  return `warning: ${text}`;
}

/** The folder that the user names; needed before the other flags can be read, since defaults depend on it. */
function readPlace(args: readonly string[]): Pick<RunFolderRequest, 'output' | 'resume'> {
  return { output: readFolder(args, 'output'), resume: readFolder(args, 'resume') };
}

/** An empty name, such as that of a variable that is not set, would mean the folder in which the user is. */
function readFolder(args: readonly string[], name: string): string | null {
  const folder = readFlag(args, name);
  if (folder !== '') return folder ?? null;
  throw new ConfigError(`--${name} needs the name of a folder, and it is empty`, {
    code: 'config.bad-flag',
    hint: `Give one: --${name} DIR. The folder in which you are is "."`,
  });
}

function asksForHelp(args: readonly string[]): boolean {
  return args.includes('--help') || args.includes('-h');
}

function progressStyle(host: Host, { isQuiet, isPlain }: CommandFlags): ProgressStyle {
  if (isQuiet) return 'silent';
  return host.stderr.isTerminal && !isPlain && host.variables['TERM'] !== 'dumb' ? 'live' : 'plain';
}
