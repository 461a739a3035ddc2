import { ConfigError, quoteShell } from '@talaria/core';
import { exitCodes } from './exit-code.ts';
import { findTarget } from './find-target.ts';
import { commandHelp } from './help-text.ts';
import type { Host } from './host.ts';
import { type Builtins, loadEnvironment } from './load-environment.ts';
import { runEnvironmentCommand } from './run-environment-command.ts';

/** A command on an environment that is named by its first argument. */
export interface NamedEnvironmentCommand {
  readonly command: 'run' | 'eval';
  /** What stands after the command. */
  readonly args: readonly string[];
  readonly builtins: Builtins;
}

/** `talaria run|eval ENVIRONMENT …`: loads the environment, then runs it. */
export async function runNamedEnvironment(host: Host, options: NamedEnvironmentCommand): Promise<number> {
  const { command, args, builtins } = options;
  const driver = command === 'run' ? 'process' : 'evaluate';
  const names = Object.keys(builtins);
  const found = findTarget(args, { driver, builtinNames: names });
  if (found === null && (args.includes('--help') || args.includes('-h'))) {
    host.stdout.write(commandHelp(command, names));
    return exitCodes.done;
  }
  if (found === null) {
    throw new ConfigError(`talaria ${command} needs the name of an environment`, {
      code: 'config.missing-argument',
      hint: `For example: talaria ${command} ${names[0] ?? './my-env.ts'}, or talaria ${command} ./my-env.ts`,
    });
  }
  const { target, flags } = found;
  const environment = await loadEnvironment(host, target, builtins);
  return runEnvironmentCommand(host, {
    environment,
    driver,
    args: flags,
    usage: `${host.programName} ${command} ${quoteShell([target])}`,
  });
}
